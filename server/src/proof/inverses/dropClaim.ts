/** Lets a second delivery pass: the claim's early exit goes, or the claim itself, or what makes its statement tolerate a duplicate. */
import { uncast } from '../../facts/walk.ts';
import { decisionsOn, namesOf } from '../../rules/_kit/decisions.ts';
import { cutGuard, cutLink, cutText, isExit, textsOf, wholeStatement } from './cut.ts';
import { edit, framesAround, textOf, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropClaim: Inverse = {
  id: 'drop-claim',
  what: 'the claim that stops a second delivery',
  rules: [
    'redelivery-without-dedup',
    'check-then-write',
    'overlapping-interval',
    'ack-before-work',
    'claim-without-lock',
    'replay-without-window',
  ],
  words: /uniq|claim|dedup|once|already|conflict|upsert|duplicate|redeliver|\bseen\b|processed|running/i,
  remove(spot) {
    const guards = earlyExits(spot);
    if (guards.length > 0) return guards;
    return toleratesDuplicate(spot);
  },
  // Of several places that a row names only the claim may go: without the work itself every test is red.
  otherwise: claimItself,
};

function earlyExits({ file, fn, node, site }: Spot): Edit[] {
  if (node.k !== 'call' && node.k !== 'new' && node.k !== 'tag') {
    if (node.k === 'if' && isExit(node.then)) return [cutGuard(file, node)];
    return [];
  }
  const top = site?.top ?? node;
  const names = namesOf(file, top, fn);
  return decisionsOn(file, fn, names, top).flatMap(({ node: decision }) =>
    decision.k === 'if' && isExit(decision.then) ? [cutGuard(file, decision)] : [],
  );
}

function toleratesDuplicate({ file, node, site }: Spot): Edit[] {
  const out: Edit[] = [];
  for (const link of site?.chain ?? [])
    if (/^(?:onConflict\w*|onDuplicateKeyUpdate|ignore|merge|orIgnore|orUpdate)$/.test(link.name)) {
      const cut = cutLink(file, link.node);
      if (cut) out.push(cut);
    }
  if (out.length > 0) return out;
  for (const literal of textsOf(node, node)) {
    const cut = cutText(file, literal, /\s+on\s+conflict\b[\s\S]*?(?=\s+returning\b|['"`]$)/i);
    if (cut) return [cut];
  }
  if (node.k !== 'call' || uncast(node.callee).k !== 'mem') return [];
  const callee = uncast(node.callee);
  const given = node.args[0] && uncast(node.args[0]);
  if (callee.k !== 'mem' || callee.prop !== 'upsert' || given?.k !== 'obj') return [];
  const create = given.props.find(({ key }) => key === 'create');
  return create
    ? [edit(file, node, `${textOf(file, callee.obj)}.create({ data: ${textOf(file, create.value)} })`)]
    : [];
}

/** A claim that a unique key refuses: without it nothing is refused. */
function claimItself(spot: Spot): Edit[] {
  const { file, node, site } = spot;
  const statement = wholeStatement(file, site?.top ?? node);
  if (!statement) return [];
  for (const { frame } of framesAround(spot))
    if (frame.k === 'try' && frame.node.handler) return [edit(file, statement, '{}')];
  const caught = site?.chain.find(({ name }) => name === 'catch');
  return caught || site?.effect?.write ? [edit(file, statement, '{}')] : [];
}
