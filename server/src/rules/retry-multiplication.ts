/** Retries around retries: the attempts multiply. */
import { uncast } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { atVersion } from '../model/bounds.ts';
import { booleanOf, numberOf, readOption } from '../model/options.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-multiplication',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call that is repeated when it fails makes a call that repeats itself: a loop or helper around a client with retries of its own, or around a function with a loop of its own.',
    why: 'The attempts multiply. While the other side is overloaded, each request of ours becomes many of theirs, which keeps it down; and the caller waits for all the pauses in turn before it gets an error.',
    remedy: 'Repeat in one place: turn the retries of the client off, or leave them to it.',
    whenNot:
      'The two react to different failures, as one to a lost connection and one to a state that is not yet reached.',
  },
  incidents: ['retry-storm'],
  fixKind: 'none',
  detect(ctx) {
    for (const retry of retriesOf(ctx.model, ctx.file)) check(ctx, retry);
  },
});

const MOST = 3;

interface Inner {
  readonly attempts: number;
  /** Who repeats: a library or a function of one's own. */
  readonly by: string;
  readonly site: Site;
}

function check(ctx: RuleContext, retry: Retry): void {
  const outer = retry.attempts;
  if (typeof outer !== 'number' || outer < 2 || outer > 1000) return;
  let most: Inner | null = null;
  for (const site of retry.calls) {
    const inner = innerOf(ctx, retry, site, 0);
    if (inner && (!most || inner.attempts > most.attempts)) most = inner;
  }
  if (!most || most.attempts < 2) return;
  const product = outer * most.attempts;
  if (product <= MOST) return;
  const name = short(ctx.file.text.slice(retry.at.s, retry.at.e));
  ctx.report({
    at: retry.at,
    message: `While the other side is down, one call becomes ${product}: ${outer} attempts here, times ${most.attempts} in ${most.by}.`,
    trigger: 'the other side is overloaded or down',
    scenario: `At \`${name}\`, when the other side fails, then each of ${outer} attempts makes ${most.attempts} of its own: ${product} requests for one.`,
    detection: 'By the load on the other side during its outage: each single failure looks ordinary.',
    fix: `Repeat in one place: turn the retries in ${most.by} off, or these.`,
    anchor: name,
    path: most.site.file === ctx.file ? [] : [most.site],
  });
}

/** How often a call that is repeated repeats itself; null when it does not, or that cannot be read. */
function innerOf(ctx: RuleContext, outer: Retry, site: Site, depth: number): Inner | null {
  const own = ownAttempts(ctx, site);
  if (own !== null) return own > 1 ? { attempts: own, by: libraryOf(site), site } : null;
  if (site.target.k !== 'fn' || depth > 2) return null;
  const { file, fn } = site.target.value;
  const fact = file.facts.functions[fn];
  if (!fact) return null;
  for (const inner of retriesWithin(ctx, file, fact.s, fact.e)) {
    if (inner === outer || inner.node === outer.node) continue;
    if (typeof inner.attempts === 'number' && inner.attempts > 1 && inner.attempts <= 1000)
      return { attempts: inner.attempts, by: `\`${fact.name ?? calleeName(site)}\``, site };
  }
  for (const next of ctx.model.sites.of(file, fn)) {
    const found = innerOf(ctx, outer, next, depth + 1);
    if (found) return found;
  }
  return null;
}

function retriesWithin(ctx: RuleContext, file: SourceFile, s: number, e: number): readonly Retry[] {
  return retriesOf(ctx.model, file).filter((r) => r.node.s >= s && r.node.e <= e);
}

/** What the client does by itself: its default for the version, or what its options say. */
function ownAttempts(ctx: RuleContext, site: Site): number | null {
  const { effect } = site;
  const spec = effect?.spec.retry;
  if (!spec || !effect.pack || effect.confidence !== 'shown') return null;
  if (spec.methods && (effect.method === null || !spec.methods.includes(effect.method))) return null;
  const { values } = ctx.model;
  for (const at of spec.attemptsOption ?? []) {
    const places = site.node.k === 'tag' ? [] : [{ file: site.file, call: site.node }, ...originsOf(site)];
    for (const place of places) {
      const read = readOption(values, place.file, place.call, at);
      if (read.k === 'unknown') return null;
      if (read.k !== 'value') continue;
      if (booleanOf(values, read.file, read.expr) === false) return 1;
      const n = numberOf(values, read.file, read.expr);
      if (n === null || !Number.isFinite(n)) return null;
      return at.counts === 'retries' ? n + 1 : n;
    }
  }
  if (!madeInSight(site)) return null;
  const byDefault = atVersion(ctx.model.sites, site.file, effect.pack, spec.attempts);
  return byDefault;
}

function originsOf(site: Site) {
  const out: NonNullable<NonNullable<ReturnType<typeof recvOf>>['origin']>[] = [];
  for (let at = recvOf(site); at; at = at.from) if (at.origin) out.push(at.origin);
  return out;
}

function recvOf(site: Site) {
  return site.target.k === 'lib' ? site.target.recv : null;
}

/** The client is made where its options can be read, and none of them is about retries that the pack does not know. */
function madeInSight(site: Site): boolean {
  const origins = originsOf(site);
  if (origins.length === 0) return site.effect?.kind === 'http';
  return origins.every(
    (o) =>
      !/retr(?:y|ies)|attempts/i.test(o.file.text.slice(o.call.s, o.call.e)) &&
      o.call.args.every((a) => {
        const inner = uncast(a);
        return inner.k !== 'obj' || inner.props.every((p) => p.kind !== 'spread');
      }),
  );
}

function libraryOf(site: Site): string {
  const pack = site.effect?.pack;
  return pack?.id === 'awsSdk' ? 'the AWS SDK' : `\`${site.effect?.library ?? calleeName(site)}\``;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Four attempts of three attempts',
    bad: `import pRetry from 'p-retry';
import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3';
const s3 = new S3Client({});
export const read = (key: string) =>
  pRetry(() => s3.send(new GetObjectCommand({ Bucket: 'reports', Key: key })), { retries: 3 });
`,
    good: `import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3';
const s3 = new S3Client({});
export const read = (key: string) => s3.send(new GetObjectCommand({ Bucket: 'reports', Key: key }));
`,
  },
];
