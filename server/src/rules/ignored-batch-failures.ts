/** A batch call whose partial failures come back as data, and nobody reads them. */
import type { Call, Expr, New } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';

export const rule = defineRule({
  id: 'ignored-batch-failures',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'gray-failure',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A batch call of an AWS service resolves although part of the batch failed; the part of the answer that lists the failures is never read.',
    why: 'Under throttling some entries are refused while the call succeeds. They are lost without an error, a log line or a retry.',
    remedy: 'Read the list of failures and send those entries again, or throw when it is not empty.',
    whenNot: 'The answer is handed on to a caller who looks.',
  },
  incidents: ['partial-write', 'silent-failure'],
  fixKind: 'none',
  detect(ctx) {
    if (!ctx.file.facts.specifiers.some((s) => s.startsWith('@aws-sdk/'))) return;
    for (const site of ctx.sites) if (site.node.k === 'new') check(ctx, site.node);
  },
});

/** Where each command reports what failed, as its client's types name it. */
const FAILURES: Readonly<Record<string, string>> = {
  SendMessageBatchCommand: 'Failed',
  DeleteMessageBatchCommand: 'Failed',
  ChangeMessageVisibilityBatchCommand: 'Failed',
  PublishBatchCommand: 'Failed',
  BatchWriteCommand: 'UnprocessedItems',
  BatchWriteItemCommand: 'UnprocessedItems',
  BatchGetCommand: 'UnprocessedKeys',
  BatchGetItemCommand: 'UnprocessedKeys',
  PutRecordsCommand: 'FailedRecordCount',
  PutRecordBatchCommand: 'FailedPutCount',
  PutEventsCommand: 'FailedEntryCount',
  DeleteObjectsCommand: 'Errors',
};

function check(ctx: RuleContext, made: New): void {
  const { file } = ctx;
  const callee = ctx.model.values.of(file, made.callee);
  if (callee.k !== 'ext' || !callee.pkg.startsWith('@aws-sdk/')) return;
  const command = callee.path.split('.').at(-1) ?? '';
  const field = Object.hasOwn(FAILURES, command) ? FAILURES[command] : undefined;
  const send = sendOf(file, made);
  if (!field || !send || !isDropped(file, send, field)) return;
  ctx.report({
    at: made.callee,
    message: `Entries that the service refuses are lost here: \`${command}\` succeeds all the same and lists them in \`${field}\`, which nothing reads.`,
    trigger: 'the service throttles or refuses part of the batch',
    scenario: `At \`${command}\`, when part of the batch is refused, then the call resolves and those entries are gone.`,
    detection: 'When a user complains or the data is compared: nothing fails.',
    fix: `Read \`${field}\` and send those entries again, or throw.`,
    anchor: command,
  });
}

/** `client.send(new XCommand(…))`, also through a name for the command. */
function sendOf(file: SourceFile, made: New): Call | null {
  const parent = file.index.parent(made);
  if (parent?.k === 'call' && parent.callee.k === 'mem' && parent.callee.prop === 'send') return parent;
  if (parent?.k !== 'var') return null;
  const decl = parent.decls.find((d) => d.init && uncast(d.init) === made);
  const binding = decl?.target.k === 'pid' ? decl.target.b : -1;
  for (const fn of file.facts.functions)
    for (const call of file.index.calls[fn.id] ?? []) {
      const first: Expr | undefined = call.k === 'call' ? call.args[0] : undefined;
      if (
        call.k === 'call' &&
        call.callee.k === 'mem' &&
        call.callee.prop === 'send' &&
        first?.k === 'id' &&
        binding >= 0 &&
        first.b === binding
      )
        return call;
    }
  return null;
}

/** The answer goes to waste, or is kept where the field is never named. */
function isDropped(file: SourceFile, send: Call, field: string): boolean {
  let at: AnyNode | undefined = file.index.parent(send);
  if (at?.k === 'await') at = file.index.parent(at);
  if (at?.k === 'expr') return true;
  if (at?.k !== 'var') return false;
  const fn = file.facts.functions[file.index.functionOf(send)];
  if (!fn) return false;
  const text = file.text.slice(fn.s, fn.e);
  if (new RegExp(`\\b${field}\\b`).test(text.slice(0, send.s - fn.s) + text.slice(send.e - fn.s)))
    return false;
  const decl = at.decls.find((d) => d.init && d.init.s <= send.s && d.init.e >= send.e);
  if (decl?.target.k !== 'pid') return true;
  // Handed on or given back whole, somebody else may look.
  return !new RegExp(`[(,]\\s*${decl.target.name}\\s*[,)]|return\\s+${decl.target.name}\\s*[;\\n}]`).test(
    text,
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Messages that a throttled queue refused',
    bad: `import { SQSClient, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
const sqs = new SQSClient({});
export async function publish(entries: { Id: string; MessageBody: string }[]) {
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'orders', Entries: entries }));
}
`,
    good: `import { SQSClient, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
const sqs = new SQSClient({});
export async function publish(entries: { Id: string; MessageBody: string }[]) {
  const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'orders', Entries: entries }));
  if (answer.Failed?.length) throw new Error(\`\${answer.Failed.length} messages refused\`);
}
`,
  },
];
