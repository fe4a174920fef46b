/** Repeating what can only fail again. */
import type { Site } from '../model/sites.ts';
import { readOption } from '../model/options.ts';
import { detectionWhenThrown } from './_kit/detection.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-of-permanent-error',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'low',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A request whose errors include refusals (400, 401, 404, 422) is made again for every error alike: by a loop that looks at success only, or by a helper without a condition.',
    why: 'What is refused once is refused each time. The caller waits through all the pauses for an answer that was known after the first attempt, the quota is spent on it, and repeated wrong credentials lock the account.',
    remedy:
      'Repeat only what can pass: 408, 425, 429, 5xx and errors of the connection. Hand every other answer on at once.',
    whenNot: 'The other side answers 404 or 409 for a while because its data arrives late.',
  },
  incidents: ['retry-storm', 'wasted-work'],
  fixKind: 'none',
  detect(ctx) {
    for (const retry of retriesOf(ctx.model, ctx.file)) check(ctx, retry);
  },
});

/** Words that show that somebody tells errors apart. */
const TELLS_APART =
  /\bstatus(?:Code)?\b\s*(?:[<>]=?|[!=]==?|\))|\b[45]\d\d\b|\.code\b|\binstanceof\b|\.name\s*[!=]==?|isAxiosError|isHttpError|[rR]etr(?:y|i)able|[sS]hould_?[rR]etry|[cC]an_?[rR]etry|isTransient|isTemporary|isNetwork|isRateLimit|isTimeout|\bbail\b|AbortError|[pP]ermanent|[uU]nrecoverable|NonRetr|includes\(|\.message\b[^\n]*(?:match|test|startsWith)|\bswitch\b/;

function check(ctx: RuleContext, retry: Retry): void {
  if (retry.attempts !== 'unknown' && retry.attempts !== null && retry.attempts < 2) return;
  const refused = retry.calls.find((c) => c.effect?.kind === 'http' && c.effect.confidence === 'shown');
  // Beside another repeated call it is not told which one fails.
  if (!refused || retry.calls.some((c) => c !== refused && c.effect?.write && c.effect.kind !== 'http'))
    return;
  const around = ctx.functions[retry.fn];
  const whole = around && retry.fn !== 0 ? ctx.file.text.slice(around.s, around.e) : retry.text;
  if (TELLS_APART.test(retry.kind === 'helper' ? helperText(ctx, retry) : whole)) return;
  if (retry.kind === 'helper' && (retry.library === null || hasFilter(ctx, retry) || filtersByItself(retry)))
    return;
  if (!rejects(ctx, retry, refused)) return;
  const name = short(ctx.file.text.slice(retry.at.s, retry.at.e));
  const site = ctx.sites.find((s) => s.node === refused.node) ?? refused;
  ctx.report({
    at: retry.at,
    message: `When the other side refuses the request (400, 401, 404), \`${name}\` makes it again as if it were an outage.`,
    trigger: 'the request is wrong, or its credentials are',
    scenario: `At \`${name}\`, when the answer is a refusal, then it is asked for again until the attempts are used up, and the caller waits for all of them.`,
    detection: detectionWhenThrown(ctx, site),
    fix: 'Repeat only 408, 429, 5xx and errors of the connection; hand every other answer on at once.',
    anchor: name,
    confidence: 'assumed',
  });
}

/** The text of the call with the local function it repeats. */
function helperText(ctx: RuleContext, retry: Retry): string {
  const called = retry.calls.map((c) => {
    const fact = c.file.facts.functions[c.fn];
    return fact && fact.id !== 0 ? c.file.text.slice(fact.s, fact.e) : '';
  });
  return [retry.text, ...called].join('\n').replace(/\.status(?:Code)?\s*\}/g, '');
}

function hasFilter(ctx: RuleContext, retry: Retry): boolean {
  const { options, spec } = retry;
  if (!options) return true;
  return (spec?.filterOption ?? []).some(
    (at) => readOption(ctx.model.values, options.file, options.call, at).k !== 'absent',
  );
}

/** Helpers of HTTP clients repeat only what can pass, by default. */
function filtersByItself(retry: Retry): boolean {
  return retry.spec?.methods !== null || /axios|got|ky|undici|cockatiel/.test(retry.library ?? '');
}

/** Does a refusal count as a failure at all? */
function rejects(ctx: RuleContext, retry: Retry, site: Site): boolean {
  if (site.effect?.spec.rejectsOnStatus === true) return true;
  if (site.effect?.spec.rejectsOnStatus !== false) return false;
  const fact = site.file.facts.functions[site.fn];
  const text =
    fact && fact.id !== 0 && retry.kind === 'helper' ? site.file.text.slice(fact.s, fact.e) : retry.text;
  // A loop that returns once the answer is good, or throws when it is not.
  return retry.handler === null && retry.kind === 'loop'
    ? /\.ok\b/.test(text)
    : /!\s*\w+\.ok\b[^;]{0,40}?\bthrow\b|\.ok\s*===?\s*false[^;]{0,40}?\bthrow\b/.test(text);
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A wrong key that is tried five times',
    bad: `declare function pause(ms: number): Promise<void>;
export async function rates(key: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const res = await fetch(\`https://rates.example.com?key=\${key}\`, { signal: AbortSignal.timeout(2000) });
    if (res.ok) return res.json();
    await pause(Math.random() * 2 ** attempt * 100);
  }
  throw new Error('no rates');
}
`,
    good: `declare function pause(ms: number): Promise<void>;
export async function rates(key: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const res = await fetch(\`https://rates.example.com?key=\${key}\`, { signal: AbortSignal.timeout(2000) });
    if (res.ok) return res.json();
    if (res.status < 500 && res.status !== 429) throw new Error(\`rates refused: \${res.status}\`);
    await pause(Math.random() * 2 ** attempt * 100);
  }
  throw new Error('no rates');
}
`,
  },
];
