/** Which texts can hold a unit or a finding at all, told without parsing them. */

/**
 * Words without which a file has neither a unit nor anything a rule speaks about: declarations, constants, pure sums.
 * Invariant (tested over whole projects): leaving such files out of a run changes no finding.
 */
const TELLING =
  /\bawait\b|\basync\b|\bPromise\b|\bcatch\b|\.then\(|\.on(?:ce)?\(|\bset(?:Interval|Timeout|Immediate)\(|JSON\.parse|new URL\(|decodeURI|\bBigInt\(|[Cc]rypto|[Ss]ecret|[Tt]oken|[Ss]ignature|[Hh]mac|\b[Rr]outer\b|\bapp\.|@(?:Controller|Resolver|Processor|Injectable|WebSocketGateway)|\bhandler\b|process\.on|sixlens-|\bexport\s*\{[^}]{0,300}\b(?:GET|POST|PUT|PATCH|DELETE|loader|action|default)\b|\bfetch\(|\.listen\(|\.pipe\(|[Rr]etry\w*\(|(?:=>|\breturn)\s*[\w$.]+\.(?:get|post|put|patch|delete|head|request|query|execute|find\w+|create\w*|update\w*|insert\w*|upsert|save|send\w*|publish|invoke|raw|\$\w+)\s*[(<`]|\]\s*(?:[?|&]{2}|[-+])?=(?!=)|\]\s*\+\+|\.(?:push|add|set)\(/;

/** `new pg.Pool(`, `new S3<X>(`: the first name of what is constructed. */
const CONSTRUCTED = /\bnew\s+([\w$]+)/g;
/** Classes of the platform whose making alone says nothing: what is done with them has words of its own. */
const PLAIN =
  /^(?:Error|\w+Error|Date|Map|Set|WeakMap|WeakSet|Array|Object|Proxy|URLSearchParams|TextEncoder|TextDecoder|Uint8Array|Buffer|Intl|FormData|Headers)$/;

export function isTelling(text: string): boolean {
  return TELLING.test(text) || constructsForeignClass(text);
}

/**
 * A client, a pool or a worker that is made and nothing else. Classes of a library count, and those that nothing in the file
 * declares; a class that a neighbouring file or this one declares is looked at where it is used.
 */
function constructsForeignClass(text: string): boolean {
  let own: Set<string> | null = null;
  for (const [, name] of text.matchAll(CONSTRUCTED)) {
    if (name === undefined || PLAIN.test(name)) continue;
    own ??= neighbours(text);
    if (!own.has(name)) return true;
  }
  return false;
}

/** Names that come from relative imports or from classes of the file itself. */
function neighbours(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, clause] of text.matchAll(
    /\bimport\s+(?:type\s+)?([\w$\s{},*]{1,2000}?)\s*from\s*['"]\.{1,2}(?:\/[^'"\n]*)?['"]/g,
  ))
    for (const [, name] of (clause ?? '').matchAll(/([\w$]+)\s*(?=[,}]|$)/g)) if (name) names.add(name);
  for (const [, name] of text.matchAll(/\bclass\s+([\w$]+)/g)) if (name) names.add(name);
  return names;
}
