/** Mail providers' clients: resend, @sendgrid/mail, postmark. */
import { definePack, type MemberSpec } from './contract.ts';

const send: MemberSpec = { call: { effect: { kind: 'mail', op: 'send' }, returns: 'Answer' } };
const read: MemberSpec = { call: { effect: { kind: 'sdk', op: 'read' } } };
const write: MemberSpec = { call: { effect: { kind: 'sdk', op: 'write' } } };

export const pack = definePack({
  id: 'mailApis',
  packages: ['resend', '@sendgrid/mail', 'postmark', 'mailgun.js'],
  assumedVersion: '6.0.0',
  types: {
    Resend: {
      role: 'client',
      members: { emails: { type: 'Emails' }, batch: { type: 'Emails' } },
      rest: { type: 'Resource' },
    },
    Emails: { members: { send, create: send, get: read, update: write, cancel: write } },
    Resource: { members: { create: write, get: read, list: read, update: write, remove: write } },
    SendGrid: {
      role: 'client',
      members: { send, sendMultiple: send, setApiKey: { call: { promise: false } } },
    },
    Postmark: {
      role: 'client',
      members: {
        sendEmail: send,
        sendEmailWithTemplate: send,
        sendEmailBatch: send,
        sendEmailBatchWithTemplates: send,
      },
    },
    Answer: { role: 'response' },
  },
  exports: {
    Resend: { construct: { type: 'Resend' } },
    default: { type: 'SendGrid' },
    MailService: { construct: { type: 'SendGrid' } },
    ServerClient: { construct: { type: 'Postmark' } },
  },
  facts: [
    {
      topic: 'retry.default',
      versions: 'resend 6, @sendgrid/mail 8, postmark 4',
      says: 'None; a repeated send is a second mail.',
      source: 'their clients',
    },
  ],
});
