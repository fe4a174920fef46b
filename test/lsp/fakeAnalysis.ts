/**
 * An analysis small enough to be seen through: it finds `fetch(` without a signal, units as `router.post('/x'`, and
 * does on command what a real one does only when something is wrong (`CRASH` throws, `SLOW` takes its time).
 */
import { LineIndex } from '../../server/src/base/span.ts';
import { LENSES } from '../../server/src/base/vocabulary.ts';
import { createNodeFileHost } from '../../server/src/node/nodeFileHost.ts';
import type { Analysis, Finding, Fix, Unit } from '../../server/src/service/contract.ts';

const SLOW_MS = 400;

export function createFakeAnalysis(root: string, preset: string | null): Analysis {
  const host = createNodeFileHost();
  const overlays = new Map<string, string>();
  const textOf = (file: string): string | null =>
    overlays.get(file) ?? host.readText(`${root}/${file}`)?.text ?? null;

  const unitsOf = (file: string): Unit[] => {
    const text = textOf(file) ?? '';
    const lines = LineIndex.of(text);
    return [...text.matchAll(/router\.post\('([^']+)'[\s\S]*?\n\}\);/g)].map((match): Unit => {
      const [start, end] = [lines.positionAt(match.index), lines.positionAt(match.index + match[0].length)];
      return {
        id: `${file}#router.post "${match[1]!}"`,
        kind: 'http',
        name: `POST ${match[1]!}`,
        symbol: `router.post "${match[1]!}"`,
        framework: 'express',
        file,
        start,
        end,
        startOffset: match.index,
        endOffset: match.index + match[0].length,
        route: match[1]!,
        method: 'POST',
        handler: { file, fn: 0, start, end },
      };
    });
  };

  const findingsOf = (file: string): Finding[] => {
    const text = textOf(file) ?? '';
    if (text.includes('CRASH')) throw new Error('the fake analysis was told to crash');
    if (text.includes('SLOW')) for (const end = Date.now() + SLOW_MS; Date.now() < end;);
    const lines = LineIndex.of(text);
    return [...text.matchAll(/fetch\((\w+)\)/g)].map((match, index): Finding => {
      const [start, end] = [match.index, match.index + match[0].length];
      const unit = unitsOf(file).find((one) => one.startOffset <= start && end <= one.endOffset);
      return {
        rule: 'call-without-timeout',
        lens: 'clock',
        axis: 'cascading-failure',
        faultClass: 'network',
        severity: preset === 'essential' ? 'low' : 'high',
        blocking: preset !== 'essential',
        confidence: 'shown',
        file,
        start: lines.positionAt(start),
        end: lines.positionAt(end),
        startOffset: start,
        endOffset: end,
        message: `if ${match[1]!} hangs, this hangs with it: no bound`,
        trigger: 'the other side takes the connection and never answers',
        scenario: 'each request holds one worker until none is left',
        detection: 'when users complain',
        fix: 'pass a signal that fires',
        units: unit ? [unit.id] : [],
        path: unit ? [{ file, start: unit.start, end: unit.end, label: `reached from ${unit.name}` }] : [],
        fixes: [],
        anchor: index === 0 ? 'fetch' : `fetch#${index + 1}`,
      };
    });
  };

  return {
    root,
    setOverlay: (file, text) => void (text === null ? overlays.delete(file) : overlays.set(file, text)),
    invalidate: () => undefined,
    check(files) {
      const problems = files
        .filter((file) => textOf(file)?.includes('HALF'))
        .map((file) => ({
          code: 'syntax',
          message: 'half typed',
          file,
          start: { line: 1, column: 1 },
          severity: 'error' as const,
        }));
      return { findings: files.flatMap(findingsOf), suppressed: [], problems };
    },
    checkAll() {
      return { findings: this.sourceFiles().flatMap(findingsOf), suppressed: [], problems: [] };
    },
    units: (files) => files.flatMap(unitsOf),
    unitAt: () => null,
    view: (unit) => ({
      unit,
      domain: ['payments'],
      findings: findingsOf(unit.file).filter((finding) => finding.units.includes(unit.id)),
      mechanisms: [],
      lenses: LENSES.map((lens) => ({
        lens,
        lookedAt: '3 calls',
        unresolved: lens === 'boundaries' ? ['loader.run'] : [],
      })),
      questions: [
        {
          id: 'burst',
          lens: 'resource-exhaustion',
          failure: 'a burst after our own outage',
          why: 'senders send again',
        },
      ],
      slice: 's0fake01',
    }),
    reachedBy: () => [],
    prunable: () => [],
    constant: (file, name) => ({ problem: `${name} is no constant in ${file}` }),
    leadingTo: (files) => new Set(files),
    reachOf: () => [],
    unitOf: (file, symbol) => unitsOf(file).find((unit) => unit.symbol === symbol) ?? null,
    fixesFor: () => [
      { id: 'add-timeout-signal', title: 'Add a timeout', kind: 'safe' },
      { id: 'wrap', title: 'Move into a helper', kind: 'previewed' },
    ],
    applyFix(finding, fixId): Fix | null {
      const text = textOf(finding.file) ?? '';
      if (!/^fetch\(\w+\)$/.test(text.slice(finding.startOffset, finding.endOffset))) return null;
      const at = finding.endOffset - 1;
      const safe = fixId === 'add-timeout-signal';
      return {
        id: fixId,
        title: safe ? 'Add a timeout' : 'Move into a helper',
        kind: safe ? 'safe' : 'previewed',
        edits: [
          {
            file: finding.file,
            edits: [{ start: at, end: at, newText: ', { signal: AbortSignal.timeout(5000) }' }],
          },
        ],
      };
    },
    callAt(file, offset) {
      const text = textOf(file) ?? '';
      const match = [...text.matchAll(/pool\.query\(/g)].find(
        (one) => one.index <= offset && offset <= one.index + one[0].length,
      );
      if (!match) return null;
      const lines = LineIndex.of(text);
      return {
        label: 'pool.query',
        library: 'pg',
        version: '8.13.1',
        effect: 'database read',
        bounds: { acquire: 2000, total: null },
        boundedBy: null,
        retries: null,
        transaction: 'BEGIN at line 3',
        idempotencyKey: null,
        confidence: 'assumed',
        start: lines.positionAt(match.index),
        end: lines.positionAt(match.index + match[0].length),
      };
    },
    whySilent: () => [{ code: 'level', text: 'Two rules are turned off here by the config.' }],
    sourceFiles: () =>
      host.listFiles(root, { extensions: ['.ts', '.js'] }).files.map((file) => file.slice(root.length + 1)),
    textOf,
  };
}
