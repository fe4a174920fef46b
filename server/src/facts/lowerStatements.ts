/** Statements and what a file exports. */
import { ts } from '../syntax/compiler.ts';
import type {
  ClassFact,
  Decl,
  Expr,
  FunctionFact,
  PathStepFact,
  Pattern,
  Stmt,
  SwitchCase,
  VarStmt,
} from './ir.ts';
import { FunctionLowering } from './lowerFunctions.ts';
import { hasModifier, missing, type Mutable } from './nodes.ts';

const K = ts.SyntaxKind;

export abstract class StatementLowering extends FunctionLowering {
  protected stmts(list: readonly ts.Statement[]): Stmt[] {
    const out: Stmt[] = [];
    for (const st of list) {
      const lowered = this.stmt(st);
      if (lowered) out.push(lowered);
    }
    return out;
  }

  protected block(node: ts.Block): Stmt & { k: 'block' } {
    this.scopes.push(this.ctx.id, false);
    this.hoist(node.statements);
    const body = this.stmts(node.statements);
    this.scopes.pop();
    return { k: 'block', body, s: this.start(node), e: node.end };
  }

  protected stmt(node: ts.Statement): Stmt | null {
    if (this.isTooDeep(node)) return null;
    this.depth++;
    try {
      return this.stmtAt(node);
    } finally {
      this.depth--;
    }
  }

  protected stmtAt(node: ts.Statement): Stmt | null {
    const s = this.start(node);
    const e = node.end;
    switch (node.kind) {
      case K.Block:
        return this.block(node as ts.Block);
      case K.ExpressionStatement:
        return { k: 'expr', expr: this.expr((node as ts.ExpressionStatement).expression), s, e };
      case K.VariableStatement: {
        const st = node as ts.VariableStatement;
        const lowered = this.varStmt(st.declarationList, s, e);
        if (hasModifier(st, K.ExportKeyword)) this.exportPatterns(lowered);
        return lowered;
      }
      case K.ReturnStatement: {
        const arg = (node as ts.ReturnStatement).expression;
        return { k: 'ret', arg: arg ? this.expr(arg) : null, s, e };
      }
      case K.ThrowStatement:
        return { k: 'throw', arg: this.expr((node as ts.ThrowStatement).expression), s, e };
      case K.IfStatement: {
        const st = node as ts.IfStatement;
        return {
          k: 'if',
          test: this.expr(st.expression),
          then: this.body(st.thenStatement),
          else: st.elseStatement ? this.body(st.elseStatement) : null,
          s,
          e,
        };
      }
      case K.ForStatement: {
        const st = node as ts.ForStatement;
        this.scopes.push(this.ctx.id, false);
        let init: VarStmt | (Stmt & { k: 'expr' }) | null = null;
        if (st.initializer && ts.isVariableDeclarationList(st.initializer)) {
          this.hoistVars(st.initializer);
          init = this.varStmt(st.initializer, this.start(st.initializer), st.initializer.end);
        } else if (st.initializer) {
          const expr = this.expr(st.initializer);
          init = { k: 'expr', expr, s: expr.s, e: expr.e };
        }
        const test = st.condition ? this.expr(st.condition) : null;
        const update = st.incrementor ? this.expr(st.incrementor) : null;
        const body = this.body(st.statement);
        this.scopes.pop();
        return { k: 'for', init, test, update, body, s, e };
      }
      case K.ForOfStatement:
      case K.ForInStatement: {
        const st = node as ts.ForOfStatement | ts.ForInStatement;
        const iter = this.expr(st.expression);
        this.scopes.push(this.ctx.id, false);
        let decl: VarStmt | null = null;
        let target: Expr | null = null;
        if (ts.isVariableDeclarationList(st.initializer)) {
          this.hoistVars(st.initializer);
          decl = this.varStmt(st.initializer, this.start(st.initializer), st.initializer.end, iter);
        } else target = this.expr(st.initializer);
        const body = this.body(st.statement);
        this.scopes.pop();
        const isAwait =
          node.kind === K.ForOfStatement && (st as ts.ForOfStatement).awaitModifier !== undefined;
        return {
          k: node.kind === K.ForOfStatement ? 'forof' : 'forin',
          await: isAwait,
          decl,
          target,
          iter,
          body,
          s,
          e,
        };
      }
      case K.WhileStatement: {
        const st = node as ts.WhileStatement;
        return { k: 'while', test: this.expr(st.expression), body: this.body(st.statement), s, e };
      }
      case K.DoStatement: {
        const st = node as ts.DoStatement;
        return { k: 'do', body: this.body(st.statement), test: this.expr(st.expression), s, e };
      }
      case K.TryStatement: {
        const st = node as ts.TryStatement;
        const block = this.block(st.tryBlock);
        let param: Pattern | null = null;
        let handler: (Stmt & { k: 'block' }) | null = null;
        let handlerComment: string | null = null;
        if (st.catchClause) {
          this.scopes.push(this.ctx.id, false);
          const name = st.catchClause.variableDeclaration?.name;
          if (name) {
            this.declareNames(name, 'catch');
            param = this.pattern(name, null, []);
          }
          handler = this.block(st.catchClause.block);
          handlerComment = this.comments.inBlock(st.catchClause.block);
          this.scopes.pop();
        }
        const final = st.finallyBlock ? this.block(st.finallyBlock) : null;
        return { k: 'try', block, param, handler, handlerComment, final, s, e };
      }
      case K.SwitchStatement: {
        const st = node as ts.SwitchStatement;
        const disc = this.expr(st.expression);
        this.scopes.push(this.ctx.id, false);
        for (const clause of st.caseBlock.clauses) this.hoist(clause.statements);
        const cases: SwitchCase[] = st.caseBlock.clauses.map((clause) => ({
          test: ts.isCaseClause(clause) ? this.expr(clause.expression) : null,
          body: this.stmts(clause.statements),
          s: this.start(clause),
          e: clause.end,
        }));
        this.scopes.pop();
        return { k: 'switch', disc, cases, s, e };
      }
      case K.BreakStatement:
      case K.ContinueStatement: {
        const label = (node as ts.BreakOrContinueStatement).label;
        return { k: node.kind === K.BreakStatement ? 'break' : 'continue', label: label?.text ?? null, s, e };
      }
      case K.LabeledStatement: {
        const st = node as ts.LabeledStatement;
        return { k: 'label', name: st.label.text, body: this.body(st.statement), s, e };
      }
      case K.FunctionDeclaration: {
        const st = node as ts.FunctionDeclaration;
        const fn = this.fn(st, 'function', st.name?.text ?? null, st.name);
        if (st.name) {
          const b = this.scopes.lookup(st.name.text);
          if (b >= 0 && st.body) this.scopes.setDecl(b, { k: 'fn', fn });
          else if (b >= 0 && !this.scopes.hasDecl(b)) this.scopes.setDecl(b, { k: 'fn', fn });
        }
        if (hasModifier(st, K.ExportKeyword)) {
          const isDefault = hasModifier(st, K.DefaultKeyword);
          (this.functions[fn] as Mutable<FunctionFact>).exported = true;
          this.exports.push({
            name: isDefault ? 'default' : (st.name?.text ?? 'default'),
            local: st.name ? this.scopes.lookup(st.name.text) : -1,
            expr: st.name ? null : { k: 'fn', fn, s, e },
            from: null,
            imported: null,
          });
        }
        return { k: 'fndecl', fn, s, e };
      }
      case K.ClassDeclaration: {
        const st = node as ts.ClassDeclaration;
        const cls = this.cls(st);
        if (st.name) {
          const b = this.scopes.lookup(st.name.text);
          if (b >= 0) this.scopes.setDecl(b, { k: 'cls', cls });
        }
        if (hasModifier(st, K.ExportKeyword)) {
          const isDefault = hasModifier(st, K.DefaultKeyword);
          (this.classes[cls] as Mutable<ClassFact>).exported = true;
          this.exports.push({
            name: isDefault ? 'default' : (st.name?.text ?? 'default'),
            local: st.name ? this.scopes.lookup(st.name.text) : -1,
            expr: st.name ? null : { k: 'cls', cls, s, e },
            from: null,
            imported: null,
          });
        }
        return { k: 'clsdecl', cls, s, e };
      }
      case K.ExportDeclaration:
        this.exportDeclaration(node as ts.ExportDeclaration);
        return null;
      case K.ExportAssignment: {
        const st = node as ts.ExportAssignment;
        const expr = this.expr(st.expression);
        this.exports.push({
          name: st.isExportEquals ? '=' : 'default',
          local: expr.k === 'id' ? this.scopes.lookup(expr.name) : -1,
          expr,
          from: null,
          imported: null,
        });
        return { k: 'expr', expr, s, e };
      }
      case K.EnumDeclaration: {
        const st = node as ts.EnumDeclaration;
        if (hasModifier(st, K.ExportKeyword))
          this.exports.push({
            name: st.name.text,
            local: this.scopes.lookup(st.name.text),
            expr: null,
            from: null,
            imported: null,
          });
        return null;
      }
      case K.InterfaceDeclaration: {
        const st = node as ts.InterfaceDeclaration;
        this.interfaces.push({
          name: st.name.text,
          members: this.typeMembers(st.members),
          extends: (st.heritageClauses ?? []).flatMap((h) => h.types.map((t) => this.heritageType(t))),
        });
        this.exportType(st, st.name.text);
        return null;
      }
      case K.TypeAliasDeclaration: {
        const st = node as ts.TypeAliasDeclaration;
        const type = this.type(st.type);
        const b = this.scopes.lookupType(st.name.text);
        if (b >= 0) this.scopes.setDecl(b, { k: 'type', type });
        this.exportType(st, st.name.text);
        return null;
      }
      case K.ModuleDeclaration: {
        const st = node as ts.ModuleDeclaration;
        if (!st.body || hasModifier(st, K.DeclareKeyword) || !ts.isModuleBlock(st.body)) return null;
        this.scopes.push(this.ctx.id, false);
        this.hoist(st.body.statements);
        const exportsBefore = this.exports.length;
        const body = this.stmts(st.body.statements);
        this.exports.length = exportsBefore;
        this.scopes.pop();
        return { k: 'block', body, s, e };
      }
      case K.ImportDeclaration:
      case K.ImportEqualsDeclaration:
        return null;
      default:
        return { k: 'empty', s, e };
    }
  }

  protected exportType(st: ts.InterfaceDeclaration | ts.TypeAliasDeclaration, name: string): void {
    if (hasModifier(st, K.ExportKeyword))
      this.exports.push({
        name,
        local: this.scopes.lookupType(name),
        expr: null,
        from: null,
        imported: null,
      });
  }

  protected body(node: ts.Statement): Stmt {
    if (ts.isBlock(node)) return this.block(node);
    return this.stmt(node) ?? { k: 'empty', s: this.start(node), e: node.end };
  }

  protected varStmt(
    list: ts.VariableDeclarationList,
    s: number,
    e: number,
    each: Expr | null = null,
  ): VarStmt {
    const flags = list.flags & ts.NodeFlags.BlockScoped;
    const kind =
      flags === ts.NodeFlags.AwaitUsing
        ? 'await using'
        : flags === ts.NodeFlags.Using
          ? 'using'
          : flags & ts.NodeFlags.Const
            ? 'const'
            : flags & ts.NodeFlags.Let
              ? 'let'
              : 'var';
    const decls = list.declarations.map((d) => {
      const init = d.initializer
        ? this.exprNamed(d.initializer, ts.isIdentifier(d.name) ? d.name : null)
        : null;
      const type = d.type ? this.type(d.type) : null;
      const decl: ((path: readonly PathStepFact[]) => Decl) | null = each
        ? (path) => ({ k: 'each', iter: each, path })
        : init
          ? (path) => ({ k: 'init', init, path, type: path.length === 0 ? type : null })
          : type
            ? (path) => ({ k: 'init', init: missing(d.end), path, type: path.length === 0 ? type : null })
            : null;
      return { target: this.pattern(d.name, decl, []), init, type, s: this.start(d), e: d.end };
    });
    return { k: 'var', kind, decls, s, e };
  }

  protected exportPatterns(st: VarStmt): void {
    const add = (p: Pattern): void => {
      if (p.k === 'pid')
        this.exports.push({
          name: p.name,
          local: this.scopes.lookup(p.name),
          expr: null,
          from: null,
          imported: null,
        });
      else if (p.k === 'pdef') add(p.target);
      else if (p.k === 'pobj') {
        for (const prop of p.props) add(prop.value);
        if (p.rest) add(p.rest);
      } else if (p.k === 'parr') for (const item of p.items) if (item) add(item);
    };
    for (const d of st.decls) {
      add(d.target);
      if (d.init) this.markExported(d.init);
    }
  }

  protected exportDeclaration(node: ts.ExportDeclaration): void {
    const from =
      node.moduleSpecifier && ts.isStringLiteralLike(node.moduleSpecifier) ? node.moduleSpecifier.text : null;
    if (from) this.specifiers.add(from);
    const clause = node.exportClause;
    if (!clause) {
      if (from) this.exports.push({ name: '*', local: -1, expr: null, from, imported: '*' });
    } else if (ts.isNamespaceExport(clause)) {
      this.exports.push({ name: clause.name.text, local: -1, expr: null, from, imported: '*' });
    } else {
      for (const el of clause.elements) {
        const imported = (el.propertyName ?? el.name).text;
        let local = -1;
        if (!from) {
          local = this.scopes.lookup(imported);
          if (local < 0) local = this.scopes.lookupType(imported);
        }
        this.exports.push({ name: el.name.text, local, expr: null, from, imported: from ? imported : null });
      }
    }
  }
}
