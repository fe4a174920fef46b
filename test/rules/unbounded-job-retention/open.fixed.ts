import { Queue } from 'bullmq';
import Bull from 'bull';

export function make(options: { connection: object }) {
  const first = new Queue('mails', { defaultJobOptions: { removeOnComplete: { count: 1000 }, removeOnFail: { count: 5000 } } });
  const second = new Queue('mails', { connection: {} });
  const third = new Queue('mails', { defaultJobOptions: { attempts: 3 } });
  const fourth = new Bull('mails');
  const fifth = new Bull('mails', 'redis://redis');
  const unreadable = new Queue('mails', options); // ok: unbounded-job-retention
  const spread = new Queue('mails', { ...options }); // ok: unbounded-job-retention
  return [first, second, third, fourth, fifth, unreadable, spread];
}
