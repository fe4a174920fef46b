/** Places of one cause as one finding: the first place, with how many there are more. Owns joining their fixes. */
import { SEVERITIES, type Severity } from '../base/vocabulary.ts';
import type { FixDraft } from '../rules/_kit/rule.ts';
import type { LiveFinding } from './runRules.ts';

export function joinCauses(
  found: readonly LiveFinding[],
  causes: ReadonlyMap<LiveFinding, object | string>,
): readonly LiveFinding[] {
  if (causes.size < 2) return found;
  const groups = new Map<object | string, LiveFinding[]>();
  for (const [live, cause] of causes) {
    const group = groups.get(cause);
    if (group) group.push(live);
    else groups.set(cause, [live]);
  }
  const joined = new Map<LiveFinding, LiveFinding | null>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    group.sort((a, b) => a.finding.startOffset - b.finding.startOffset);
    for (const live of group) joined.set(live, null);
    joined.set(group[0]!, join(group));
  }
  return found.flatMap((live) => {
    const one = joined.get(live);
    return one === undefined ? live : one === null ? [] : one;
  });
}

function join(group: readonly LiveFinding[]): LiveFinding {
  const [first] = group as [LiveFinding, ...LiveFinding[]];
  const more = group.length - 1;
  const { finding } = first;
  const drafts = first.drafts.map((draft) => forAll(draft, group));
  return {
    finding: {
      ...finding,
      severity: group.map((l) => l.finding.severity).reduce(heavier),
      message: finding.message.replace(/\.?$/, ` (and ${more} more like it here).`),
      fixes: drafts.map(({ id, title, kind }) => ({ id, title, kind })),
    },
    drafts,
  };
}

/** The gravest comes first in the list of severities. */
function heavier(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b;
}

/** The same fix at every place, where each of them offers it; else the one place's own. */
function forAll(draft: FixDraft, group: readonly LiveFinding[]): FixDraft {
  const same = group.map((l) => l.drafts.find((d) => d.id === draft.id));
  if (same.includes(undefined)) return draft;
  return {
    ...draft,
    title: `${draft.title} at all ${group.length} places`,
    edits: () => {
      const parts = same.flatMap((d) => d?.edits() ?? []);
      const files = [...new Set(parts.map((p) => p.file))];
      return files.map((file) => ({
        file,
        edits: parts.flatMap((p) => (p.file === file ? p.edits : [])),
      }));
    },
  };
}
