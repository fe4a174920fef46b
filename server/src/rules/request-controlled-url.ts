/** Requests that the service sends wherever a request tells it to. */
import type { Expr } from '../facts/ir.ts';
import { bare, uncast } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { requestValue, type RequestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'request-controlled-url',
  lens: 'hostile-input',
  axis: 'none',
  faultClass: 'trust',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A part of a request decides the host of an outgoing call, and no list of allowed hosts stands in between.',
    why: 'The service stands inside the network: whoever names the address reaches what only the service can reach, such as the metadata address of the cloud with its credentials, internal services and databases.',
    remedy:
      'Compare the host with a list of allowed ones; where any public host is meant, resolve it and refuse private addresses, also after redirects.',
    whenNot: 'An egress proxy lets only public addresses through.',
  },
  incidents: ['forged-input'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites)
      if (site.effect?.kind === 'http' && site.effect.confidence === 'shown') check(ctx, site);
  },
});

function check(ctx: RuleContext, site: Site): void {
  const { effect, file, node } = site;
  const at = effect?.spec.urlAt;
  if (!at || node.k === 'tag') return;
  const read = readOption(ctx.model.values, file, node, at);
  if (read.k !== 'value') return;
  const host = hostPart(read.file, read.expr, 0);
  if (!host) return;
  const value = requestValue(ctx, host.file, host.expr);
  if (!value || value.conversions.length > 0) return;
  if (isChecked(value) || hasGuard(ctx, site)) return;
  if (value.field && !namesAnyHost(value)) return;
  const name = calleeName(site);
  const what = short(host.file.text.slice(host.expr.s, host.expr.e));
  ctx.report({
    at: host.file === file ? host.expr : node.callee,
    message: `\`${what}\` of the request decides which host \`${name}\` calls: it reaches what only this service can reach.`,
    trigger: `\`${what}\` names an internal address`,
    scenario: `At \`${name}\`, when a request names an internal address, then the service calls it from inside the network.`,
    detection: 'When somebody reads the logs of what was called: the call succeeds.',
    fix: 'Compare the host with a list of allowed ones.',
    anchor: name,
    path: value.via,
    ...(value.assumed ? { confidence: 'assumed' as const } : {}),
  });
}

/** The expression that gives scheme and host: the whole address, or what a template or sum begins with. */
function hostPart(file: SourceFile, expr: Expr, depth: number): { file: SourceFile; expr: Expr } | null {
  if (depth > 6) return null;
  const inner = bare(uncast(expr));
  switch (inner.k) {
    case 'tmpl': {
      const [head, first] = [inner.quasis[0] ?? '', inner.exprs[0]];
      return first && /^(?:https?:\/\/)?$/.test(head) ? hostPart(file, first, depth + 1) : null;
    }
    case 'bin':
      return inner.op === '+'
        ? uncast(inner.l).k === 'lit'
          ? /^['"`]https?:\/\/['"`]$/.test(file.text.slice(inner.l.s, inner.l.e))
            ? hostPart(file, inner.r, depth + 1)
            : null
          : hostPart(file, inner.l, depth + 1)
        : inner.op === '??' || inner.op === '||'
          ? hostPart(file, inner.l, depth + 1)
          : null;
    case 'new': {
      const [path, base] = inner.args;
      const isUrl = inner.callee.k === 'id' && inner.callee.name === 'URL';
      return isUrl && path && !base ? hostPart(file, path, depth + 1) : null;
    }
    case 'call': {
      const callee = uncast(inner.callee);
      if (callee.k === 'mem' && /^(?:toString|trim|href)$/.test(callee.prop))
        return hostPart(file, callee.obj, depth + 1);
      const first = inner.args[0];
      if (callee.k === 'id' && callee.name === 'String' && first) return hostPart(file, first, depth + 1);
      return null;
    }
    case 'mem':
      return inner.prop === 'href' ? hostPart(file, inner.obj, depth + 1) : { file, expr: inner };
    case 'id': {
      const decl = file.facts.bindings[inner.b]?.decl;
      const init = decl?.k === 'init' && decl.path.length === 0 ? bare(uncast(decl.init)) : null;
      if (init && /^(?:tmpl|bin|new|lit)$/.test(init.k)) return hostPart(file, init, depth + 1);
      return { file, expr: inner };
    }
    default:
      return null;
  }
}

/** A schema that takes any text or address; a list or a form of its own narrows it. */
function namesAnyHost(value: RequestValue): boolean {
  const { field } = value;
  if (!field?.complete) return false;
  return (
    field.steps.some((s) => /^(?:string|url|httpUrl)$/.test(s.name)) &&
    !field.steps.some((s) =>
      /^(?:enum|nativeEnum|literal|refine|superRefine|regex|transform|pipe|startsWith|uuid|cuid2?|email|check|preprocess)$/.test(
        s.name,
      ),
    )
  );
}

const GUARD =
  /ssrf|allow(?:ed|list)?\w*|white_?list|block(?:ed|list)?\w*|black_?list|deny\w*|private|internal|isSafe|safeFetch|isPublic|localhost|127\.0\.0\.1|169\.254|dns|lookup|valid\w*(?:Url|Host|Domain|Uri|Link)|(?:Url|Host|Domain|Uri)\w*(?:Valid|Allowed|Safe)|is(?:Valid)?(?:Url|URL|Domain|Host)|assert\w*(?:Url|Host)|check\w*(?:Url|Host|Domain)|hostname\s*[!=]==?|\.host\s*[!=]==?|origin\s*[!=]==?|startsWith\(\s*['"`]https?:\/\/\w|filtering-agent|trusted/i;

function isChecked(value: RequestValue): boolean {
  return value.hops.some((hop) => {
    const fact = hop.file.facts.functions[hop.fn];
    return fact !== undefined && fact.id !== 0 && GUARD.test(hop.file.text.slice(fact.s, fact.e));
  });
}

/** The function around the call, its options or the agent it goes through look at the address. */
function hasGuard(ctx: RuleContext, site: Site): boolean {
  const { file } = site;
  const outer = file.facts.functions[ctx.model.outermost(file, site.fn)];
  if (outer && outer.id !== 0 && GUARD.test(file.text.slice(outer.s, outer.e))) return true;
  return file.facts.specifiers.some((s) => /ssrf|filtering-agent|private-ip|is-ip-private/i.test(s));
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A preview of any page',
    bad: `import express from 'express';
const app = express();
app.get('/preview', async (req, res) => {
  const page = await fetch(String(req.query.url), { signal: AbortSignal.timeout(5000) });
  res.send(await page.text());
});
`,
    good: `import express from 'express';
const app = express();
const allowed = new Set(['docs.example.com', 'blog.example.com']);
app.get('/preview', async (req, res) => {
  const url = new URL(String(req.query.url));
  if (!allowed.has(url.host)) return res.sendStatus(400);
  const page = await fetch(url, { signal: AbortSignal.timeout(5000) });
  res.send(await page.text());
});
`,
  },
];
