/** Lists that come in pages, of which only the first is read. */
import type { Call, Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { numberOf, readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { settled, takenBy, usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'first-page-only',
  lens: 'boundaries',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A list is asked for from an API that answers in pages, and nothing looks at whether there are more.',
    why: 'It works until the account has one entry more than a page holds. From then on the rest is as good as not there: files are not deleted, subscriptions not found, users not synchronised, and nothing fails.',
    remedy:
      "Read on until the API says that there is no more, or use the client's own iterator (`autoPagingEach`, `paginate`, `paginateListObjectsV2`).",
    whenNot: 'Only the newest few, or whether there is any, is what is asked for.',
  },
  incidents: ['silent-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      const api = apiOf(ctx, site);
      if (api) check(ctx, site, api);
    }
  },
});

interface Paged {
  readonly who: string;
  /** Entries of a page when nothing is asked for. */
  readonly page: number;
  /** The most that can be asked for. */
  readonly most: number;
  /** Options that set the page size or the page. */
  readonly size: readonly string[];
  readonly arg: number;
  /** Anything of this near the call looks at what comes after. */
  readonly cursor: RegExp;
  /** Filters that leave only a few: a list by one of them is small in practice. */
  readonly few?: RegExp;
}

const AWS: Readonly<Record<string, { page: number; most: number; size: readonly string[]; cursor: RegExp }>> =
  {
    ListObjectsV2Command: {
      page: 1000,
      most: 1000,
      size: ['MaxKeys'],
      cursor: /ContinuationToken|IsTruncated|StartAfter|paginateListObjectsV2/,
    },
    ListObjectsCommand: { page: 1000, most: 1000, size: ['MaxKeys'], cursor: /Marker|IsTruncated/ },
    ListObjectVersionsCommand: { page: 1000, most: 1000, size: ['MaxKeys'], cursor: /Marker|IsTruncated/ },
    ScanCommand: {
      page: 0,
      most: 0,
      size: ['Limit'],
      cursor: /LastEvaluatedKey|ExclusiveStartKey|paginateScan/,
    },
    QueryCommand: {
      page: 0,
      most: 0,
      size: ['Limit'],
      cursor: /LastEvaluatedKey|ExclusiveStartKey|paginateQuery/,
    },
    ListUsersCommand: {
      page: 60,
      most: 60,
      size: ['Limit'],
      cursor: /PaginationToken|paginateListUsers|Marker/,
    },
    ListQueuesCommand: { page: 1000, most: 1000, size: ['MaxResults'], cursor: /NextToken|paginate/ },
    ListSecretsCommand: { page: 100, most: 100, size: ['MaxResults'], cursor: /NextToken|paginate/ },
  };

function apiOf(ctx: RuleContext, site: Site): Paged | null {
  const { target, node, file } = site;
  if (target.k !== 'lib' || node.k !== 'call') return null;
  const text = file.text.slice(node.callee.s, node.callee.e);
  switch (target.pack.id) {
    case 'stripe':
      return /\.list$/.test(text) && !/\.(?:events|balanceTransactions)\.list$/.test(text)
        ? {
            who: 'Stripe',
            page: 10,
            most: 100,
            size: ['limit'],
            arg: 0,
            cursor: /has_more|starting_after|ending_before|autoPaging|for await/,
            few: /\b(?:customer|subscription|invoice|payment_intent|charge|checkout_session|lookup_keys|code|email)\b\s*[:,}]/,
          }
        : null;
    case 'octokit':
      return /\.(?:rest|repos|issues|pulls|orgs|teams|users|actions|checks|git|apps|activity|search)\.(?:\w+\.)?list\w*$/.test(
        text,
      )
        ? {
            who: 'GitHub',
            page: 30,
            most: 100,
            size: ['per_page', 'page'],
            arg: 0,
            cursor: /paginate|\bpage\b|rel="?next|hasNextPage|\.link\b/,
          }
        : null;
    case 'googleapis':
      return /\.list$/.test(text)
        ? {
            who: 'Google',
            page: 0,
            most: 0,
            size: ['maxResults', 'pageSize'],
            arg: 0,
            cursor: /[pP]ageToken/,
          }
        : null;
    case 'slack':
      return /\.(?:conversations\.(?:list|history|members|replies)|(?<!usergroups\.)users\.(?:list|conversations)|files\.list)$/.test(
        text,
      )
        ? {
            who: 'Slack',
            page: 100,
            most: 1000,
            size: ['limit'],
            arg: 0,
            cursor: /cursor|paginate|has_more/,
          }
        : null;
    case 'awsSdk': {
      if (!/\.send$/.test(text)) return null;
      const made = commandOf(ctx, site);
      const known = made ? AWS[made] : undefined;
      return known ? { who: 'AWS', arg: 0, ...known } : null;
    }
    default:
      return null;
  }
}

/** The name of the command that is sent. */
function commandOf(ctx: RuleContext, site: Site): string | null {
  const made = command(ctx, site);
  return made?.k === 'new' && made.callee.k === 'id' ? made.callee.name : null;
}

function command(ctx: RuleContext, site: Site): Expr | null {
  const arg = site.node.k === 'call' ? site.node.args[0] : undefined;
  if (!arg) return null;
  const inner = uncast(arg);
  if (inner.k !== 'id') return inner;
  const decl = ctx.file.facts.bindings[inner.b]?.decl;
  return decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : null;
}

/** What one customer has a handful of. */
const FEW_THINGS =
  /(?:subscriptions|paymentMethods|taxIds|coupons|promotionCodes|sessions|prices|products|lineItems)\.list$/i;
const FEW_NAME =
  /first|latest|last|recent|newest|any|exists|has[A-Z]|is[A-Z]|one\b|single|default|current|active|sample|preview|probe|health|ping|test|page|Page|some/;

function check(ctx: RuleContext, site: Site, api: Paged): void {
  const { file, node } = site;
  if (node.k !== 'call') return;
  const outer = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const own = file.facts.functions[site.fn];
  if (!outer || !own) return;
  const around = outer.id === 0 ? file.text.slice(own.s, own.e) : file.text.slice(outer.s, outer.e);
  if (api.cursor.test(around)) return;
  // A helper that is given the query, or gives the whole answer back, leaves the pages to its caller.
  const options = api.who === 'AWS' ? command(ctx, site) : node;
  if (!options || (options.k !== 'call' && options.k !== 'new')) return;
  const given = options.args[0];
  if (given && uncast(given).k !== 'obj' && uncast(given).k !== 'lit') {
    const shape = ctx.model.values.of(file, given);
    if (shape.k !== 'node' || shape.expr.k !== 'obj') return;
  }
  if (given && uncast(given).k === 'obj' && hasSpread(uncast(given))) return;
  let asked: number | null = null;
  for (const key of api.size) {
    const read = readOption(ctx.model.values, file, options, { arg: 0, path: key });
    if (read.k === 'unknown') return;
    if (read.k !== 'value') continue;
    const n = numberOf(ctx.model.values, read.file, read.expr);
    // A number of its own choice, smaller than what a page can hold, is what is wanted.
    if (n === null || api.most === 0 || n < api.most) return;
    asked = n;
  }
  if (
    api.few &&
    given &&
    api.few.test(file.text.slice(given.s, given.e)) &&
    (asked !== null || FEW_THINGS.test(calleeName(site)))
  )
    return;
  if (FEW_NAME.test(own.name ?? '') || usesFew(ctx, site)) return;
  for (const frame of ctx.model.frames.around(file, node, site.fn))
    if (frame.k === 'loop' && frame.node.k !== 'forof') return;
  if (returnsWhole(ctx, node, site.fn)) return;
  const name = api.who === 'AWS' ? (commandOf(ctx, site) ?? calleeName(site)) : calleeName(site);
  const size = asked ?? api.page;
  const count = size > 0 ? `the first ${size}` : 'the first page';
  ctx.report({
    at: node.callee,
    message: `\`${name}\` answers with ${count} and nothing asks for the rest: ${size > 0 ? `entry ${size + 1}` : 'what comes after'} is never seen.`,
    trigger: size > 0 ? `more than ${size} entries` : 'more entries than a page holds',
    scenario: `At \`${name}\`, when there ${size > 0 ? `are more than ${size} entries` : 'is more than one page'}, then the rest is treated as if it did not exist.`,
    detection: 'When somebody misses an entry: the call succeeds.',
    fix: 'Read on until the API says that there is no more.',
    anchor: name,
  });
}

function hasSpread(expr: Expr): boolean {
  return expr.k === 'obj' && expr.props.some((p) => p.kind === 'spread');
}

/** The whole answer goes to the caller, with its cursor. */
function returnsWhole(ctx: RuleContext, call: Call, fn: number): boolean {
  const { file } = ctx;
  const top = settled(file, call);
  const parent = file.index.parent(top);
  if (parent?.k === 'ret' || (!parent && file.facts.functions[fn]?.exprBody)) return true;
  const held = takenBy(file, top);
  if (held?.target.k !== 'pid') return parent?.k === 'call' || parent?.k === 'obj' || parent?.k === 'arr';
  return usesOf(file, held.target.b).some((use) => {
    const at = file.index.parent(use);
    return at?.k === 'ret' || at?.k === 'call' || at?.k === 'obj' || at?.k === 'spread' || at?.k === 'asg';
  });
}

/** Only the first entry, or whether there is one, is looked at. */
function usesFew(ctx: RuleContext, site: Site): boolean {
  const { file } = ctx;
  if (site.node.k !== 'call') return false;
  // `.then((res) => res.data[0])`
  if (
    site.top !== site.node &&
    /\.data\??\.?(?:\[\d\]|at\(|length)/.test(file.text.slice(site.node.e, site.top.e))
  )
    return true;
  const top = settled(file, site.node);
  const held = takenBy(file, top);
  if (!held) {
    // `(await list()).data[0]`, or nothing is read at all: it asks whether the other side answers.
    let at = file.index.parent(top);
    if (!at || at.k === 'expr') return true;
    while (at?.k === 'mem') at = file.index.parent(at);
    return at?.k === 'idx';
  }
  const fields =
    held.target.k === 'pid'
      ? [held.target.b]
      : held.target.k === 'pobj'
        ? held.target.props.map((p) => (p.value.k === 'pid' ? p.value.b : -1))
        : [];
  let seen = 0;
  let few = 0;
  for (const b of fields) {
    const visit = (binding: number, depth: number): void => {
      for (const use of usesOf(file, binding)) {
        let at: Expr = use;
        let parent = file.index.parent(at);
        while (
          parent?.k === 'mem' &&
          parent.obj === at &&
          /^(?:data|Contents|Items|files|items|members|channels|users|messages)$/.test(parent.prop)
        ) {
          at = parent;
          parent = file.index.parent(at);
        }
        const taken = takenBy(file, at);
        if (taken?.target.k === 'pid' && depth < 3) {
          visit(taken.target.b, depth + 1);
          continue;
        }
        seen++;
        if (taken?.target.k === 'parr' && taken.target.items.length <= 2) few++;
        if (parent?.k === 'idx' && uncast(parent.index).k === 'lit') few++;
        if (
          parent?.k === 'mem' &&
          (parent.prop === 'length' || parent.prop === 'at' || parent.prop === '$metadata')
        )
          few++;
        if (parent?.k === 'if' || (parent?.k === 'un' && parent.op === '!')) few++;
      }
    };
    visit(b, 0);
  }
  return seen === few;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Files of a closed account',
    bad: `import { S3Client, ListObjectsV2Command, DeleteObjectCommand } from '@aws-sdk/client-s3';
const s3 = new S3Client({});
export async function removeAll(account: string) {
  const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'files', Prefix: account }));
  for (const file of listed.Contents ?? []) {
    await s3.send(new DeleteObjectCommand({ Bucket: 'files', Key: file.Key }));
  }
}
`,
    good: `import { S3Client, ListObjectsV2Command, DeleteObjectCommand } from '@aws-sdk/client-s3';
const s3 = new S3Client({});
export async function removeAll(account: string) {
  let token: string | undefined;
  do {
    const listed = await s3.send(
      new ListObjectsV2Command({ Bucket: 'files', Prefix: account, ContinuationToken: token }),
    );
    for (const file of listed.Contents ?? []) {
      await s3.send(new DeleteObjectCommand({ Bucket: 'files', Key: file.Key }));
    }
    token = listed.NextContinuationToken;
  } while (token);
}
`,
  },
];
