/** Finds packs by import specifier and looks up their types. Owns inheritance between types of one pack. */
import type { CallSpec, ExportSpec, MemberSpec, Pack, TypeSpec } from '../packs/contract.ts';

export class PackIndex {
  private readonly exact = new Map<string, Pack>();
  private readonly prefixes: { prefix: string; pack: Pack }[] = [];
  private readonly globals = new Map<string, { pack: Pack; spec: ExportSpec }>();
  private readonly byId = new Map<string, Pack>();
  private readonly patterns: { pattern: RegExp; pack: Pack }[] = [];
  private readonly generatedBy = new Map<string, Pack | null>();

  constructor(readonly packs: readonly Pack[]) {
    for (const pack of packs) {
      this.byId.set(pack.id, pack);
      for (const name of pack.packages) {
        if (name.endsWith('/*')) this.prefixes.push({ prefix: name.slice(0, -1), pack });
        else this.exact.set(name, pack);
      }
      for (const source of pack.paths ?? []) this.patterns.push({ pattern: new RegExp(source), pack });
      for (const [name, spec] of Object.entries(pack.globals ?? {})) this.globals.set(name, { pack, spec });
    }
  }

  of(specifier: string): Pack | null {
    const plain = specifier.startsWith('node:') ? specifier.slice(5) : specifier;
    const found = this.exact.get(specifier) ?? this.exact.get(plain);
    if (found) return found;
    for (const { prefix, pack } of this.prefixes) if (specifier.startsWith(prefix)) return pack;
    return null;
  }

  /** The pack whose library generates the code that a specifier names; ask only for names that the pack exports. */
  generated(specifier: string): Pack | null {
    const known = this.generatedBy.get(specifier);
    if (known !== undefined) return known;
    const found = this.patterns.find(({ pattern }) => pattern.test(specifier))?.pack ?? null;
    this.generatedBy.set(specifier, found);
    return found;
  }

  get(id: string): Pack | null {
    return this.byId.get(id) ?? null;
  }

  global(name: string): { pack: Pack; spec: ExportSpec } | null {
    return this.globals.get(name) ?? null;
  }
}

/** `Pool` within `pack`, or `other.Type` when it names another pack. */
export function typeOf(pack: Pack, type: string): TypeSpec | null {
  return Object.hasOwn(pack.types, type) ? (pack.types[type] ?? null) : null;
}

export function memberOf(pack: Pack, type: string, name: string): MemberSpec | null {
  let rest: MemberSpec | null = null;
  const seen = new Set<string>();
  for (let at: string | undefined = type; at && !seen.has(at);) {
    seen.add(at);
    const spec = typeOf(pack, at);
    if (!spec) break;
    if (spec.members && Object.hasOwn(spec.members, name)) return spec.members[name] ?? null;
    rest ??= spec.rest ?? null;
    at = spec.extends;
  }
  return rest;
}

export function inherited<K extends 'role' | 'release' | 'errorEventCrashes' | 'call' | 'tag' | 'construct'>(
  pack: Pack,
  type: string,
  key: K,
): TypeSpec[K] | undefined {
  const seen = new Set<string>();
  for (let at: string | undefined = type; at && !seen.has(at);) {
    seen.add(at);
    const spec: TypeSpec | null = typeOf(pack, at);
    if (!spec) return undefined;
    if (spec[key] !== undefined) return spec[key];
    at = spec.extends;
  }
  return undefined;
}

export function isPromise(spec: CallSpec): boolean {
  if (spec.promise !== undefined) return spec.promise;
  const kind = spec.effect?.kind;
  return kind !== undefined && kind !== 'log' && kind !== 'metric' && kind !== 'respond';
}
