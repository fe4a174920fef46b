/** Packs of providers' clients: what each call does, by resource, member and command. */
import { strict as assert } from 'node:assert';
import { effectsOf, modelOf } from '../support/packProbe.ts';

describe('packs: providers', () => {
  it('stripe', () => {
    assert.deepEqual(
      effectsOf(`import Stripe from 'stripe';
const stripe = new Stripe('k', { timeout: 5000 });
class Pay { constructor(private stripe: Stripe) {} go() { return this.stripe.charges.create({}); } }
stripe.paymentIntents.create({});
stripe.customers.create({}, { timeout: 100 });
stripe.customers.list();
stripe.checkout.sessions.create({});
stripe.webhooks.constructEvent('', '', '');
stripe.subscriptions.update('s', {});`),
      [
        'this.stripe.charges.create: sdk/charge total=80000',
        'stripe.paymentIntents.create: sdk/charge total=5000',
        'stripe.customers.create: sdk/create total=100',
        'stripe.customers.list: sdk/read total=5000',
        'stripe.checkout.sessions.create: sdk/create total=5000',
        'stripe.subscriptions.update: sdk/update total=5000',
      ],
    );
    assert.deepEqual(effectsOf(`const stripe = require('stripe')('k');\nstripe.refunds.create({});`), [
      'stripe.refunds.create: sdk/charge total=80000',
    ]);
  });
  it('stripe: where the key goes', () => {
    const model = modelOf({
      'src/a.ts': `import Stripe from 'stripe';\nnew Stripe('k').paymentIntents.create({});`,
    });
    const file = model.project.file('src/a.ts');
    const site = file && model.sites.all(file).find((s) => s.effect);
    assert.deepEqual(site?.effect?.spec.idempotency?.at, { arg: 1, path: 'idempotencyKey' });
  });
  it('openai and anthropic', () => {
    assert.deepEqual(
      effectsOf(`import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
const ai = new OpenAI({ timeout: 20_000 });
await ai.chat.completions.create({});
await ai.responses.create({}, { signal: AbortSignal.timeout(9) });
const claude = new Anthropic();
await claude.messages.create({});`),
      [
        'ai.chat.completions.create: sdk/create total=20000',
        'ai.responses.create: sdk/create total=9',
        'claude.messages.create: sdk/create total=600000',
      ],
    );
  });
  it('AWS: the command decides', () => {
    assert.deepEqual(
      effectsOf(`import { SQSClient, DeleteMessageCommand, SendMessageCommand as Send, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { S3Client, PutObjectCommand, GetObjectCommand, S3 } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
const sqs = new SQSClient({});
sqs.send(new DeleteMessageCommand({}));
const message = new Send({});
sqs.send(message);
sqs.send(new ReceiveMessageCommand({}), { abortSignal: AbortSignal.timeout(7) });
const s3 = new S3Client({ requestHandler: { requestTimeout: 300 } });
s3.send(new PutObjectCommand({}));
const strict = new S3Client({ requestHandler: { requestTimeout: 300, throwOnRequestTimeout: true } });
strict.send(new GetObjectCommand({}));
const docs = DynamoDBDocumentClient.from(new DynamoDBClient({}));
docs.send(new UpdateCommand({}));
new S3({}).deleteObject({});`),
      [
        'sqs.send: queue/ack total=null',
        'sqs.send: queue/publish total=null',
        'sqs.send: queue/consume total=7',
        's3.send: sdk/write total=null toothless=requestHandler.requestTimeout',
        'strict.send: sdk/read total=300 ',
        'docs.send: sdk/update total=?',
        'newS3({}).deleteObject: sdk/delete total=null',
      ].map((line) => line.trimEnd()),
    );
  });
  it('googleapis and gaxios', () => {
    assert.deepEqual(
      effectsOf(`import { google } from 'googleapis';
import { request } from 'gaxios';
const drive = google.drive({ version: 'v3', timeout: 2000 });
await drive.files.create({});
await google.gmail('v1').users.messages.list({}, { timeout: 10 });
await request({ url: 'https://a.test', method: 'POST' });`),
      [
        'drive.files.create: sdk/create total=2000',
        "google.gmail('v1').users.messages.list: sdk/read total=10",
        'request: http/request POST total=null',
      ],
    );
  });
  it('octokit, slack, twilio, mail', () => {
    assert.deepEqual(
      effectsOf(`import { Octokit } from '@octokit/rest';
import { WebClient } from '@slack/web-api';
import twilio from 'twilio';
import nodemailer from 'nodemailer';
import { Resend } from 'resend';
import sg from '@sendgrid/mail';
const gh = new Octokit();
gh.rest.issues.createComment({});
gh.repos.get({});
const slack = new WebClient('t', { timeout: 100 });
slack.chat.postMessage({});
twilio('a', 'b').messages.create({});
nodemailer.createTransport({}).sendMail({});
new Resend('k').emails.send({});
sg.send({});`),
      [
        'gh.rest.issues.createComment: sdk/create total=null',
        'gh.repos.get: sdk/read total=null',
        'slack.chat.postMessage: sdk/send total=100',
        "twilio('a','b').messages.create: sdk/send total=30000",
        'nodemailer.createTransport({}).sendMail: mail/send total=600000',
        "newResend('k').emails.send: mail/send",
        'sg.send: mail/send',
      ],
    );
  });
});
