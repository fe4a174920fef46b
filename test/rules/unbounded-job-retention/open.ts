import { Queue } from 'bullmq';
import Bull from 'bull';

export function make(options: { connection: object }) {
  const first = new Queue('mails');
//                  ^^^^^ unbounded-job-retention: Every finished job stays in Redis for ever: nothing in the project removes completed jobs.   💡 Keep the last 1000 completed and 5000 failed jobs
  const second = new Queue('mails', { connection: {} });
//                   ^^^^^ unbounded-job-retention
  const third = new Queue('mails', { defaultJobOptions: { attempts: 3 } });
//                  ^^^^^ unbounded-job-retention
  const fourth = new Bull('mails');
//                   ^^^^ unbounded-job-retention
  const fifth = new Bull('mails', 'redis://redis');
//                  ^^^^ unbounded-job-retention
  const unreadable = new Queue('mails', options); // ok: unbounded-job-retention
  const spread = new Queue('mails', { ...options }); // ok: unbounded-job-retention
  return [first, second, third, fourth, fifth, unreadable, spread];
}
