/** Connect-RPC and gRPC services: `router.service(Service, { method })`, `server.addService(def, { method })`. */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';

export const finder = defineFinder({
  id: 'rpc-service',
  applies: (file) => /\.(?:service|addService|rpc)\(|ServiceImpl|ServiceImplementation/.test(file.text),
  find(ctx) {
    const out: UnitDraft[] = [];
    const addTable = (service: string, value: Expr): void => {
      const table = resolveTable(value);
      if (!table) return;
      for (const p of table.props) {
        if (!p.key) continue;
        const handler = ctx.handler(p.value);
        if (!handler) continue;
        const name = `${service}.${p.key}`;
        out.push({
          kind: 'rpc',
          name,
          symbol: name,
          route: name,
          at: { ...p.value, s: p.s, e: p.e } as Expr,
          handler,
        });
      }
    };
    const resolveTable = (value: Expr): (Expr & { k: 'obj' }) | null => {
      const inner = uncast(value);
      if (inner.k === 'obj') return inner;
      const v = ctx.model.values.of(ctx.file, inner);
      return v.k === 'node' && v.file === ctx.file && uncast(v.expr).k === 'obj'
        ? (uncast(v.expr) as Expr & { k: 'obj' })
        : null;
    };
    for (const { node } of ctx.sites) {
      if (node.k !== 'call' || node.callee.k !== 'mem' || node.args.length < 2) continue;
      if (node.callee.prop !== 'service' && node.callee.prop !== 'addService') continue;
      const [def, impl] = node.args;
      if (def && impl) addTable(serviceName(ctx.file.text.slice(def.s, def.e)), impl);
    }
    for (const b of ctx.file.facts.bindings)
      if (b.decl?.k === 'init' && b.decl.type && /^ServiceImpl/.test(b.decl.type.name))
        addTable(b.name.replace(/(?:Impl|Service)?$/, ''), b.decl.init);
    // A factory: `export function userService(): ServiceImpl<typeof UserService> { return { … } }`.
    for (const fn of ctx.file.facts.functions) {
      if (!fn.ret || !/^ServiceImpl/.test(fn.ret.name)) continue;
      for (const st of fn.body) if (st.k === 'ret' && st.arg) addTable(fn.name ?? 'service', st.arg);
    }
    return out;
  },
});

/** `proto.Greeter.service` → `Greeter`. */
function serviceName(text: string): string {
  const parts = text.split('.');
  return (parts.at(-1) === 'service' && parts.length > 1 ? parts.at(-2) : parts.at(-1)) ?? 'service';
}
