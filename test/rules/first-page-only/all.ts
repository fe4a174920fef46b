//- /src/pages.ts
import { S3Client, ListObjectsV2Command, DeleteObjectCommand } from '@aws-sdk/client-s3';
import { DynamoDBClient, ScanCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import Stripe from 'stripe';
import { Octokit } from '@octokit/rest';
import { WebClient } from '@slack/web-api';
const s3 = new S3Client({});
const dynamo = new DynamoDBClient({});
const stripe = new Stripe('key');
const octokit = new Octokit();
const slack = new WebClient('token');

export async function removeAll(prefix: string) {
  const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'b', Prefix: prefix }));
  //                   ^^^^^^^ first-page-only: `ListObjectsV2Command` answers with the first 1000 and nothing asks for the rest: entry 1001 is never seen.
  for (const file of listed.Contents ?? []) await s3.send(new DeleteObjectCommand({ Bucket: 'b', Key: file.Key }));
}
export async function names() {
  const { Items } = await dynamo.send(new ScanCommand({ TableName: 't' }));
  //                      ^^^^^^^^^^^ first-page-only: `ScanCommand` answers with the first page and nothing asks for the rest: what comes after is never seen.
  return (Items ?? []).map((item) => item.name);
}
export async function transfers(account: string) {
  const found = await stripe.transfers.list({ destination: account, limit: 100 });
  //                  ^^^^^^^^^^^^^^^^^^^^^ first-page-only: `stripe.transfers.list` answers with the first 100 and nothing asks for the rest: entry 101 is never seen.
  return found.data.map((t) => t.id);
}
export async function meters() {
  return (await stripe.billing.meters.list()).data.filter((m) => m.status === 'active');
  //            ^^^^^^^^^^^^^^^^^^^^^^^^^^ first-page-only: `stripe.billing.meters.list` answers with the first 10 and nothing asks for the rest: entry 11 is never seen.
}
export async function repositories() {
  const { data } = await octokit.rest.repos.listForAuthenticatedUser();
  //                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ first-page-only: `octokit.rest.repos.listForAuthenticatedUser` answers with the first 30 and nothing asks for the rest: entry 31 is never seen.
  return data.map((r) => r.name);
}
export async function channels() {
  const answer = await slack.conversations.list({ types: 'public_channel' });
  //                   ^^^^^^^^^^^^^^^^^^^^^^^^ first-page-only
  return (answer.channels ?? []).find((c) => c.name === 'alerts');
}

// Somebody looks at what comes after.
export async function every(prefix: string) {
  let token: string | undefined;
  const keys: string[] = [];
  do {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: 'b', Prefix: prefix, ContinuationToken: token })); // ok: first-page-only
    keys.push(...(page.Contents ?? []).map((c) => c.Key ?? ''));
    token = page.NextContinuationToken;
  } while (token);
  return keys;
}
export async function iterated() {
  const ids: string[] = [];
  for await (const t of stripe.transfers.list({ limit: 100 })) ids.push(t.id); // ok: first-page-only
  return ids;
}
export async function collected() {
  return stripe.transfers.list({ limit: 100 }).autoPagingToArray({ limit: 10000 }); // ok: first-page-only
}
export async function paginated() {
  return octokit.paginate(octokit.rest.repos.listForAuthenticatedUser); // ok: first-page-only
}
// A number of its own choice, only the newest, or whether there is any.
export async function few() {
  const some = await stripe.transfers.list({ limit: 3 }); // ok: first-page-only
  return some.data.map((t) => t.id);
}
export async function latestRelease() {
  const { data } = await octokit.rest.repos.listReleases({ owner: 'o', repo: 'r' }); // ok: first-page-only
  return data.map((r) => r.id);
}
export async function one(customer: string) {
  const found = await stripe.charges.list({ customer }); // ok: first-page-only
  return found.data[0];
}
export async function isUsed(prefix: string) {
  const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'b', Prefix: prefix })); // ok: first-page-only
  return (listed.Contents ?? []).map((c) => c.Key);
}
export async function chained(customer: string) {
  return stripe.invoices.list({ customer }).then((res) => res.data[0]?.id); // ok: first-page-only
}
// The cursor goes to the caller, or comes from it.
export async function handedOn(prefix: string) {
  return s3.send(new ListObjectsV2Command({ Bucket: 'b', Prefix: prefix })); // ok: first-page-only
}
export async function given(options: Stripe.TransferListParams) {
  const found = await stripe.transfers.list({ ...options }); // ok: first-page-only
  return found.data.map((t) => t.id);
}
export async function sized(perPage: number) {
  const { data } = await octokit.rest.repos.listForOrg({ org: 'o', per_page: perPage }); // ok: first-page-only
  return data.map((r) => r.name);
}
// One customer has a handful of these.
export async function plans(customer: string) {
  const found = await stripe.subscriptions.list({ customer }); // ok: first-page-only
  return found.data.map((s) => s.id);
}
// Not a list in pages.
export async function members() {
  const answer = await slack.usergroups.users.list({ usergroup: 'g' }); // ok: first-page-only
  return (answer.users ?? []).join(',');
}
export async function query(Limit: number) {
  const found = await dynamo.send(new QueryCommand({ TableName: 't', Limit })); // ok: first-page-only
  return (found.Items ?? []).map((i) => i.id);
}
