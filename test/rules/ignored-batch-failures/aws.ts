import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteMessageBatchCommand, SQSClient, SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const sqs = new SQSClient({});
const s3 = new S3Client({});
const bus = new EventBridgeClient({});
const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export async function dropped(Entries: any[]) {
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries }));
  //                 ^^^^^^^^^^^^^^^^^^^^^^^ ignored-batch-failures: Entries that the service refuses are lost here: `SendMessageBatchCommand` succeeds all the same and lists them in `Failed`, which nothing reads.
}
export async function deleted(Entries: any[]) {
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: 'q', Entries }));
  //                 ^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-batch-failures
}
export async function otherField(RequestItems: any) {
  const answer = await table.send(new BatchWriteCommand({ RequestItems }));
  //                                  ^^^^^^^^^^^^^^^^^ ignored-batch-failures
  console.log(answer.ConsumedCapacity);
}
export async function byName(Entries: any[]) {
  const command = new PutEventsCommand({ Entries });
  //                  ^^^^^^^^^^^^^^^^ ignored-batch-failures
  await bus.send(command);
}
export async function objects(keys: string[]) {
  await s3.send(new DeleteObjectsCommand({ Bucket: 'b', Delete: { Objects: keys.map(Key => ({ Key })) } }));
  //                ^^^^^^^^^^^^^^^^^^^^ ignored-batch-failures
}

export async function thrown(Entries: any[]) {
  const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries })); // ok: ignored-batch-failures
  if (Failed?.length) throw new Error('refused');
}
export async function again(RequestItems: any) {
  let left = RequestItems;
  while (left) {
    const answer = await table.send(new BatchWriteCommand({ RequestItems: left })); // ok: ignored-batch-failures
    left = answer.UnprocessedItems;
  }
}
export async function counted(Entries: any[]) {
  const answer = await bus.send(new PutEventsCommand({ Entries })); // ok: ignored-batch-failures
  if (answer.FailedEntryCount) throw new Error('refused');
}
export async function returned(Entries: any[]) {
  return sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries })); // ok: ignored-batch-failures
}
export async function returnedByName(Entries: any[]) {
  const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries })); // ok: ignored-batch-failures
  return answer;
}
export async function handedOn(Entries: any[], look: (answer: unknown) => void) {
  const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries })); // ok: ignored-batch-failures
  look(answer);
}
export function handedOnAtOnce(Entries: any[], look: (answer: unknown) => void) {
  look(sqs.send(new SendMessageBatchCommand({ QueueUrl: 'q', Entries }))); // ok: ignored-batch-failures
}
export async function single(MessageBody: string) {
  await sqs.send(new SendMessageCommand({ QueueUrl: 'q', MessageBody })); // ok: ignored-batch-failures
}
export function onlyMade(Entries: any[]) {
  return new SendMessageBatchCommand({ QueueUrl: 'q', Entries }); // ok: ignored-batch-failures
}
namespace Local {
  export class SendMessageBatchCommand {
    constructor(readonly input: unknown) {}
  }
}
export async function ownClass(bus2: { send(x: unknown): Promise<void> }) {
  await bus2.send(new Local.SendMessageBatchCommand({})); // ok: ignored-batch-failures
}
