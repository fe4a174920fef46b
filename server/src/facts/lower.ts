/**
 * Lowers a TypeScript syntax tree to the facts of `ir.ts`. Owns the one walk over compiler nodes; knows no library.
 * Half-typed code lowers to whatever the parser kept: a missing expression becomes `other/missing`, never an exception.
 */
import { ts } from '../syntax/compiler.ts';
import type {
  ClassFact,
  ClassProp,
  CommentFact,
  Decl,
  ExportFact,
  Expr,
  FileFacts,
  FunctionFact,
  InterfaceFact,
  Param,
  PathStepFact,
  PatProp,
  Pattern,
  Prop,
  Stmt,
  SwitchCase,
  TypeRef,
  VarStmt,
} from './ir.ts';
import { ScopeBuilder } from './scopes.ts';

const K = ts.SyntaxKind;
// Exported by the compiler at run time, though not in its public typings; `getStart` costs a parent look-up more.
const { skipTrivia } = ts as unknown as { skipTrivia: (text: string, pos: number) => number };
type Mutable<T> = { -readonly [P in keyof T]: T[P] };

interface FnContext {
  id: number;
  cls: number;
}

export function lowerFile(path: string, source: ts.SourceFile): FileFacts {
  return new Lowering(path, source).run();
}

/** Nesting beyond this is machine-made; deeper nodes are kept as opaque so that the walk cannot overflow the stack. */
const MAX_DEPTH = 600;
/** Longer chains of operators are kept as a flat list of their operands: a tree of them would be as deep as it is long. */
const MAX_OPERANDS = 300;

class Lowering {
  private readonly text: string;
  private readonly functions: FunctionFact[] = [];
  private readonly classes: ClassFact[] = [];
  private readonly exports: ExportFact[] = [];
  private readonly specifiers = new Set<string>();
  private readonly interfaces: InterfaceFact[] = [];
  private readonly scopes = new ScopeBuilder();
  private ctx: FnContext = { id: 0, cls: -1 };
  private depth = 0;
  /** Where nesting first went beyond `MAX_DEPTH`; -1 while it has not. */
  private tooDeep = -1;
  private jsx = false;

  constructor(
    private readonly path: string,
    private readonly source: ts.SourceFile,
  ) {
    this.text = source.text;
  }

  run(): FileFacts {
    const s = this.source;
    const moduleFn = this.blank(0, 'module', s);
    this.functions.push(moduleFn);
    this.scopes.push(0, true);
    this.hoist(s.statements);
    const body = this.stmts(s.statements);
    this.scopes.pop();
    moduleFn.body = body;
    const directives = directivesOf(s.statements);
    moduleFn.directives = directives;
    const bindings = this.scopes.finish();
    for (const exported of this.exports) {
      const binding = exported.local >= 0 ? bindings[exported.local] : undefined;
      if (binding?.decl?.k === 'fn') (this.functions[binding.decl.fn] as Mutable<FunctionFact>).exported = true;
      else if (binding?.decl?.k === 'cls') (this.classes[binding.decl.cls] as Mutable<ClassFact>).exported = true;
      else if (binding?.decl?.k === 'init') this.markExported(binding.decl.init);
      else if (exported.expr) this.markExported(exported.expr);
    }
    const errors = (s as unknown as { parseDiagnostics?: ts.DiagnosticWithLocation[] }).parseDiagnostics ?? [];
    return {
      path: this.path,
      lineStarts: s.getLineStarts() as number[],
      syntaxErrors: [
        ...(this.tooDeep >= 0
          ? [{ s: this.tooDeep, message: `Code is nested more than ${MAX_DEPTH} levels deep here.` }]
          : []),
        ...errors.slice(0, 20).map(d => ({
          s: d.start,
          message: ts.flattenDiagnosticMessageText(d.messageText, ' '),
        })),
      ],
      functions: this.functions,
      classes: this.classes,
      bindings,
      exports: this.exports,
      specifiers: [...this.specifiers],
      interfaces: this.interfaces,
      directives,
      comments: this.markedComments(),
      jsx: this.jsx,
    };
  }

  private markExported(expr: Expr): void {
    if (expr.k === 'fn') (this.functions[expr.fn] as Mutable<FunctionFact>).exported = true;
    else if (expr.k === 'as') this.markExported(expr.arg);
    else if (expr.k === 'cls') (this.classes[expr.cls] as Mutable<ClassFact>).exported = true;
  }

  private blank(id: number, kind: FunctionFact['kind'], node: ts.Node): Mutable<FunctionFact> {
    const start = kind === 'module' ? 0 : this.start(node);
    return {
      id,
      name: null,
      kind,
      async: false,
      generator: false,
      static: false,
      params: [],
      ret: null,
      body: [],
      exprBody: false,
      bs: start,
      parent: kind === 'module' ? -1 : this.ctx.id,
      cls: -1,
      decorators: [],
      exported: false,
      ns: start,
      ne: start,
      directives: [],
      s: start,
      e: node.end,
    };
  }

  /** True beyond the deepest nesting that is read; notes the place. */
  private isTooDeep(node: ts.Node): boolean {
    if (this.depth <= MAX_DEPTH) return false;
    if (this.tooDeep < 0) this.tooDeep = this.start(node);
    return true;
  }

  private start(node: ts.Node): number {
    // What the parser made up has no width: skipping on would put its start behind its end.
    return node.pos === node.end ? node.pos : skipTrivia(this.text, node.pos);
  }

  // ---- comments

  private markedComments(): CommentFact[] {
    const found: CommentFact[] = [];
    let at = this.text.indexOf('sixlens-');
    let last = -1;
    while (at >= 0) {
      const comment = this.commentAround(at);
      if (comment && comment.s !== last) {
        found.push(comment);
        last = comment.s;
      }
      at = this.text.indexOf('sixlens-', at + 8);
    }
    return found;
  }

  /** The comment that holds `offset`; null when the text there is code, a string or JSX text. */
  private commentAround(offset: number): CommentFact | null {
    let node: ts.Node = this.source;
    for (;;) {
      let next: ts.Node | undefined;
      ts.forEachChild(node, child => {
        if (child.pos <= offset && offset < child.end) {
          next = child;
          return true;
        }
        return undefined;
      });
      if (!next) break;
      node = next;
    }
    const ranges: ts.CommentRange[] = [];
    for (const pos of new Set([node.pos, node.end])) {
      ranges.push(...(ts.getLeadingCommentRanges(this.text, pos) ?? []));
      ranges.push(...(ts.getTrailingCommentRanges(this.text, pos) ?? []));
    }
    let range = ranges.find(r => r.pos <= offset && offset < r.end);
    if (!range) {
      // Between tokens that are no nodes (before a `}` or `)`): look at the line itself.
      const lineStart = Math.max(this.text.lastIndexOf('\n', offset), this.text.lastIndexOf('\r', offset)) + 1;
      const line = this.text.slice(lineStart, offset);
      const slash = line.lastIndexOf('//');
      const inside = slash >= 0 && this.isTrivia(node, lineStart + slash);
      if (!inside) return null;
      let end = offset;
      while (end < this.text.length && this.text[end] !== '\n' && this.text[end] !== '\r') end++;
      range = { pos: lineStart + slash, end, kind: K.SingleLineCommentTrivia };
    }
    return { s: range.pos, e: range.end, text: this.text.slice(range.pos, range.end) };
  }

  /** True when no child token of `node` covers `offset`: scans the node's own tokens. */
  private isTrivia(node: ts.Node, offset: number): boolean {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node) || node.kind === K.RegularExpressionLiteral)
      return offset < this.start(node);
    if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return offset < this.start(node);
    return true;
  }

  private commentsIn(block: ts.Block): string | null {
    if (block.end - block.pos > 4000) return null;
    const parts: string[] = [];
    const add = (pos: number, leading: boolean): void => {
      const ranges = leading
        ? ts.getLeadingCommentRanges(this.text, pos)
        : ts.getTrailingCommentRanges(this.text, pos);
      for (const r of ranges ?? [])
        if (r.pos >= block.pos && r.end <= block.end) parts.push(this.text.slice(r.pos, r.end));
    };
    const open = this.start(block) + 1;
    add(open, false);
    add(open, true);
    for (const statement of block.statements) {
      if (statement.pos !== open) add(statement.pos, true);
      add(statement.end, false);
    }
    const last = block.statements.at(-1);
    if (last) add(last.end, true);
    return parts.length > 0 ? [...new Set(parts)].join('\n') : null;
  }

  // ---- hoisting

  /** Declares functions, classes, imports and `var`-free lexical names of a statement list before their uses are read. */
  private hoist(statements: readonly ts.Statement[]): void {
    for (const st of statements) {
      if (ts.isFunctionDeclaration(st)) {
        if (st.name) this.scopes.declare(st.name.text, 'fn', this.ctx.id, this.start(st.name));
      } else if (ts.isClassDeclaration(st)) {
        if (st.name) this.scopes.declare(st.name.text, 'class', this.ctx.id, this.start(st.name));
      } else if (ts.isVariableStatement(st)) {
        this.hoistVars(st.declarationList);
      } else if (ts.isEnumDeclaration(st)) {
        const b = this.scopes.declare(st.name.text, 'enum', this.ctx.id, this.start(st.name));
        this.scopes.setDecl(b, { k: 'enum', values: enumValues(st) });
      } else if (ts.isInterfaceDeclaration(st)) {
        this.scopes.declareType(st.name.text, this.ctx.id, this.start(st.name));
      } else if (ts.isTypeAliasDeclaration(st)) {
        this.scopes.declareType(st.name.text, this.ctx.id, this.start(st.name));
      } else if (ts.isImportDeclaration(st)) this.hoistImport(st);
      else if (ts.isImportEqualsDeclaration(st)) this.hoistImportEquals(st);
      else if (ts.isModuleDeclaration(st) && ts.isIdentifier(st.name))
        this.scopes.declare(st.name.text, 'namespace', this.ctx.id, this.start(st.name));
    }
  }

  private hoistVars(list: ts.VariableDeclarationList): void {
    const kind = list.flags & ts.NodeFlags.Const ? 'const' : list.flags & ts.NodeFlags.Let ? 'let' : 'var';
    for (const d of list.declarations) this.declareNames(d.name, kind);
  }

  private declareNames(name: ts.BindingName, kind: 'const' | 'let' | 'var' | 'param' | 'catch'): void {
    if (ts.isIdentifier(name)) {
      this.scopes.declare(name.text, kind, this.ctx.id, this.start(name));
      return;
    }
    for (const el of name.elements) if (ts.isBindingElement(el)) this.declareNames(el.name, kind);
  }

  private hoistImport(st: ts.ImportDeclaration): void {
    if (!ts.isStringLiteralLike(st.moduleSpecifier)) return;
    const from = st.moduleSpecifier.text;
    const clause = st.importClause;
    const typeOnly = clause?.isTypeOnly ?? false;
    if (!typeOnly) this.specifiers.add(from);
    if (!clause) return;
    const add = (id: ts.Identifier, name: string, type: boolean): void => {
      const b = this.scopes.declare(id.text, 'import', 0, this.start(id));
      this.scopes.setDecl(b, { k: 'import', from, name, typeOnly: type });
    };
    if (clause.name) add(clause.name, 'default', typeOnly);
    const named = clause.namedBindings;
    if (named && ts.isNamespaceImport(named)) add(named.name, '*', typeOnly);
    else if (named)
      for (const el of named.elements) add(el.name, (el.propertyName ?? el.name).text, typeOnly || el.isTypeOnly);
    // A type import still says which package a typed parameter belongs to.
    if (typeOnly) this.specifiers.add(from);
  }

  private hoistImportEquals(st: ts.ImportEqualsDeclaration): void {
    const b = this.scopes.declare(st.name.text, 'import', 0, this.start(st.name));
    if (ts.isExternalModuleReference(st.moduleReference) && ts.isStringLiteralLike(st.moduleReference.expression)) {
      const from = st.moduleReference.expression.text;
      this.specifiers.add(from);
      this.scopes.setDecl(b, { k: 'import', from, name: '=', typeOnly: st.isTypeOnly });
    }
  }

  // ---- statements

  private stmts(list: readonly ts.Statement[]): Stmt[] {
    const out: Stmt[] = [];
    for (const st of list) {
      const lowered = this.stmt(st);
      if (lowered) out.push(lowered);
    }
    return out;
  }

  private block(node: ts.Block): Stmt & { k: 'block' } {
    this.scopes.push(this.ctx.id, false);
    this.hoist(node.statements);
    const body = this.stmts(node.statements);
    this.scopes.pop();
    return { k: 'block', body, s: this.start(node), e: node.end };
  }

  private stmt(node: ts.Statement): Stmt | null {
    if (this.isTooDeep(node)) return null;
    this.depth++;
    try {
      return this.stmtAt(node);
    } finally {
      this.depth--;
    }
  }

  private stmtAt(node: ts.Statement): Stmt | null {
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
        const isAwait = node.kind === K.ForOfStatement && (st as ts.ForOfStatement).awaitModifier !== undefined;
        return { k: node.kind === K.ForOfStatement ? 'forof' : 'forin', await: isAwait, decl, target, iter, body, s, e };
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
          handlerComment = this.commentsIn(st.catchClause.block);
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
        const cases: SwitchCase[] = st.caseBlock.clauses.map(clause => ({
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
          extends: (st.heritageClauses ?? []).flatMap(h => h.types.map(t => this.heritageType(t))),
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

  private exportType(st: ts.InterfaceDeclaration | ts.TypeAliasDeclaration, name: string): void {
    if (hasModifier(st, K.ExportKeyword))
      this.exports.push({ name, local: this.scopes.lookupType(name), expr: null, from: null, imported: null });
  }

  private body(node: ts.Statement): Stmt {
    if (ts.isBlock(node)) return this.block(node);
    return this.stmt(node) ?? { k: 'empty', s: this.start(node), e: node.end };
  }

  private varStmt(list: ts.VariableDeclarationList, s: number, e: number, each: Expr | null = null): VarStmt {
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
    const decls = list.declarations.map(d => {
      const init = d.initializer ? this.exprNamed(d.initializer, ts.isIdentifier(d.name) ? d.name : null) : null;
      const type = d.type ? this.type(d.type) : null;
      const decl: ((path: readonly PathStepFact[]) => Decl) | null = each
        ? path => ({ k: 'each', iter: each, path })
        : init
          ? path => ({ k: 'init', init, path, type: path.length === 0 ? type : null })
          : type
            ? path => ({ k: 'init', init: missing(d.end), path, type: path.length === 0 ? type : null })
            : null;
      return { target: this.pattern(d.name, decl, []), init, type, s: this.start(d), e: d.end };
    });
    return { k: 'var', kind, decls, s, e };
  }

  private exportPatterns(st: VarStmt): void {
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

  private exportDeclaration(node: ts.ExportDeclaration): void {
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

  // ---- patterns

  private pattern(
    name: ts.BindingName,
    decl: ((path: readonly PathStepFact[]) => Decl) | null,
    path: readonly PathStepFact[],
  ): Pattern {
    const s = this.start(name);
    const e = name.end;
    if (ts.isIdentifier(name)) {
      const b = this.scopes.lookup(name.text);
      if (decl && b >= 0) this.scopes.setDecl(b, decl(path));
      return { k: 'pid', name: name.text, b, s, e };
    }
    if (ts.isObjectBindingPattern(name)) {
      const props: PatProp[] = [];
      let rest: Pattern | null = null;
      for (const el of name.elements) {
        if (el.dotDotDotToken) {
          rest = this.pattern(el.name, decl, [...path, '...']);
          continue;
        }
        const keyNode = el.propertyName ?? el.name;
        const key = propertyKey(keyNode);
        const computed =
          el.propertyName && ts.isComputedPropertyName(el.propertyName) ? this.expr(el.propertyName.expression) : null;
        const value = this.withDefault(el, decl, [...path, key ?? '*']);
        props.push({ key, computed, value, s: this.start(el), e: el.end });
      }
      return { k: 'pobj', props, rest, s, e };
    }
    const items = name.elements.map((el, i) => {
      if (!ts.isBindingElement(el)) return null;
      return el.dotDotDotToken ? this.pattern(el.name, decl, [...path, '...']) : this.withDefault(el, decl, [...path, i]);
    });
    return { k: 'parr', items, s, e };
  }

  private withDefault(
    el: ts.BindingElement,
    decl: ((path: readonly PathStepFact[]) => Decl) | null,
    path: readonly PathStepFact[],
  ): Pattern {
    const target = this.pattern(el.name, decl, path);
    if (!el.initializer) return target;
    const value = this.expr(el.initializer);
    return { k: 'pdef', target, value, s: this.start(el), e: el.end };
  }

  /** A destructuring assignment target; marks every name in it as written with an unknown value. */
  private assignPattern(node: ts.Expression): Pattern {
    const s = this.start(node);
    const e = node.end;
    if (ts.isObjectLiteralExpression(node)) {
      const props: PatProp[] = [];
      let rest: Pattern | null = null;
      for (const p of node.properties) {
        if (ts.isShorthandPropertyAssignment(p)) {
          const value = this.assignPattern(p.name);
          props.push({ key: p.name.text, computed: null, value, s: this.start(p), e: p.end });
        } else if (ts.isPropertyAssignment(p)) {
          props.push({
            key: propertyKey(p.name),
            computed: null,
            value: this.assignPattern(p.initializer),
            s: this.start(p),
            e: p.end,
          });
        } else if (ts.isSpreadAssignment(p)) rest = this.assignPattern(p.expression);
      }
      return { k: 'pobj', props, rest, s, e };
    }
    if (ts.isArrayLiteralExpression(node))
      return {
        k: 'parr',
        items: node.elements.map(el =>
          ts.isOmittedExpression(el) ? null : this.assignPattern(ts.isSpreadElement(el) ? el.expression : el),
        ),
        s,
        e,
      };
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken) {
      const target = this.assignPattern(node.left);
      return { k: 'pdef', target, value: this.expr(node.right), s, e };
    }
    if (ts.isIdentifier(node)) {
      const id: Mutable<Pattern & { k: 'pid' }> = { k: 'pid', name: node.text, b: -1, s, e };
      this.scopes.reference(id, this.ctx.id, null, false);
      return id;
    }
    return { k: 'pexpr', expr: this.expr(node), s, e };
  }

  // ---- functions and classes

  private fn(
    node: ts.SignatureDeclaration | ts.ClassStaticBlockDeclaration,
    kind: FunctionFact['kind'],
    name: string | null,
    nameNode: ts.Node | undefined,
    cls = -1,
  ): number {
    const id = this.functions.length;
    const fact = this.blank(id, kind, node);
    this.functions.push(fact);
    fact.name = name;
    fact.cls = cls;
    if (nameNode) {
      fact.ns = this.start(nameNode);
      fact.ne = nameNode.end;
    }
    fact.async = hasModifier(node, K.AsyncKeyword);
    fact.static = hasModifier(node, K.StaticKeyword);
    fact.generator = 'asteriskToken' in node && node.asteriskToken !== undefined;
    // Decorators run in the scope around the member.
    fact.decorators = this.decorators(node);
    const outer = this.ctx;
    this.ctx = { id, cls: cls >= 0 ? cls : outer.cls };
    this.scopes.push(id, true);
    if (ts.isFunctionExpression(node) && node.name) {
      const b = this.scopes.declare(node.name.text, 'fn', id, this.start(node.name));
      this.scopes.setDecl(b, { k: 'fn', fn: id });
    }
    if (!ts.isClassStaticBlockDeclaration(node)) {
      for (const p of node.parameters) this.declareNames(p.name, 'param');
      fact.params = node.parameters.map((p, index) => this.param(p, id, index));
      fact.ret = node.type ? this.type(node.type) : null;
    }
    const body = (node as ts.FunctionLikeDeclaration).body;
    if (body) {
      fact.bs = this.start(body);
      if (ts.isBlock(body)) {
        this.hoist(body.statements);
        fact.body = this.stmts(body.statements);
        fact.directives = directivesOf(body.statements);
      } else {
        const arg = this.expr(body);
        fact.body = [{ k: 'ret', arg, s: arg.s, e: arg.e }];
        fact.exprBody = true;
      }
    }
    this.scopes.pop();
    this.ctx = outer;
    return id;
  }

  private param(p: ts.ParameterDeclaration, fn: number, index: number): Param {
    const type = p.type ? this.type(p.type) : null;
    const decl = (path: readonly PathStepFact[]): Decl => ({ k: 'param', fn, index, path, type });
    let target = this.pattern(p.name, decl, []);
    if (p.initializer) {
      const value = this.expr(p.initializer);
      target = { k: 'pdef', target, value, s: this.start(p), e: p.end };
    }
    const property =
      hasModifier(p, K.PrivateKeyword) ||
      hasModifier(p, K.PublicKeyword) ||
      hasModifier(p, K.ProtectedKeyword) ||
      hasModifier(p, K.ReadonlyKeyword) ||
      hasModifier(p, K.OverrideKeyword);
    return {
      target,
      type,
      rest: p.dotDotDotToken !== undefined,
      property,
      decorators: this.decorators(p),
      s: this.start(p),
      e: p.end,
    };
  }

  private decorators(node: ts.Node): Expr[] {
    const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers;
    if (!modifiers) return [];
    return modifiers.filter(ts.isDecorator).map(d => this.expr(d.expression));
  }

  private cls(node: ts.ClassLikeDeclaration): number {
    const id = this.classes.length;
    const methods: number[] = [];
    const props: ClassProp[] = [];
    const heritage = node.heritageClauses ?? [];
    const fact: Mutable<ClassFact> = {
      id,
      name: node.name?.text ?? null,
      extends: null,
      implements: [],
      methods,
      props,
      decorators: this.decorators(node),
      parent: this.ctx.id,
      exported: false,
      s: this.start(node),
      e: node.end,
    };
    this.classes.push(fact);
    for (const clause of heritage) {
      if (clause.token === K.ExtendsKeyword && clause.types[0]) {
        fact.extends = this.expr(clause.types[0].expression);
        if (clause.types[0].typeArguments)
          fact.implements = clause.types[0].typeArguments.map(t => this.type(t));
      } else fact.implements = [...fact.implements, ...clause.types.map(t => this.heritageType(t))];
    }
    const outer = this.ctx;
    this.ctx = { id: outer.id, cls: id };
    this.scopes.push(outer.id, false);
    if (ts.isClassExpression(node) && node.name) {
      const b = this.scopes.declare(node.name.text, 'class', outer.id, this.start(node.name));
      this.scopes.setDecl(b, { k: 'cls', cls: id });
    }
    for (const m of node.members) {
      if (ts.isMethodDeclaration(m)) methods.push(this.fn(m, 'method', propertyKey(m.name), m.name, id));
      else if (ts.isConstructorDeclaration(m)) methods.push(this.fn(m, 'constructor', 'constructor', undefined, id));
      else if (ts.isGetAccessorDeclaration(m)) methods.push(this.fn(m, 'getter', propertyKey(m.name), m.name, id));
      else if (ts.isSetAccessorDeclaration(m)) methods.push(this.fn(m, 'setter', propertyKey(m.name), m.name, id));
      else if (ts.isClassStaticBlockDeclaration(m)) methods.push(this.fn(m, 'static-block', null, undefined, id));
      else if (ts.isPropertyDeclaration(m)) {
        const named = ts.isIdentifier(m.name) || ts.isPrivateIdentifier(m.name) ? m.name : null;
        props.push({
          name: propertyKey(m.name) ?? '',
          static: hasModifier(m, K.StaticKeyword),
          init: m.initializer ? this.exprNamed(m.initializer, named) : null,
          type: m.type ? this.type(m.type) : null,
          decorators: this.decorators(m),
          s: this.start(m),
          e: m.end,
        });
      }
    }
    this.scopes.pop();
    this.ctx = outer;
    return id;
  }

  // ---- types

  private heritageType(node: ts.ExpressionWithTypeArguments): TypeRef {
    return this.typeRef(node.expression, node.typeArguments, node);
  }

  private typeRef(name: ts.Node, targs: readonly ts.TypeNode[] | undefined, node: ts.Node): TypeRef {
    const text = this.text.slice(this.start(name), name.end);
    return this.typeNode(text, (targs ?? []).map(t => this.type(t)), node, null, text.split('.')[0]);
  }

  private typeNode(
    name: string,
    args: readonly TypeRef[],
    node: ts.Node,
    members: Record<string, TypeRef> | null = null,
    reference?: string,
  ): TypeRef {
    const type: TypeRef = { name, args, b: -1, members, s: this.start(node), e: node.end };
    if (reference && /^[\w$]+$/.test(reference)) this.scopes.referenceType(type, reference);
    return type;
  }

  private type(node: ts.TypeNode): TypeRef {
    if (this.isTooDeep(node)) return this.typeNode('?', [], node);
    this.depth++;
    try {
      return this.typeAt(node);
    } finally {
      this.depth--;
    }
  }

  private typeAt(node: ts.TypeNode): TypeRef {
    if (ts.isTypeReferenceNode(node)) return this.typeRef(node.typeName, node.typeArguments, node);
    if (ts.isArrayTypeNode(node)) return this.typeNode('[]', [this.type(node.elementType)], node);
    if (ts.isTupleTypeNode(node)) return this.typeNode('[,]', node.elements.map(t => this.type(t)), node);
    if (ts.isUnionTypeNode(node)) return this.typeNode('|', node.types.map(t => this.type(t)), node);
    if (ts.isIntersectionTypeNode(node)) return this.typeNode('&', node.types.map(t => this.type(t)), node);
    if (ts.isParenthesizedTypeNode(node)) return this.type(node.type);
    if (ts.isNamedTupleMember(node)) return this.type(node.type);
    if (ts.isTypeLiteralNode(node)) return this.typeNode('{}', [], node, this.typeMembers(node.members));
    if (ts.isFunctionTypeNode(node)) return this.typeNode('=>', [this.type(node.type)], node);
    if (ts.isTypeQueryNode(node)) {
      const text = this.text.slice(this.start(node.exprName), node.exprName.end);
      return this.typeNode('typeof', [this.typeNode(text, [], node, null, text.split('.')[0])], node);
    }
    if (ts.isTypeOperatorNode(node)) return this.type(node.type);
    if (ts.isImportTypeNode(node)) {
      const arg = node.argument;
      if (ts.isLiteralTypeNode(arg) && ts.isStringLiteralLike(arg.literal)) {
        this.specifiers.add(arg.literal.text);
        const q = node.qualifier ? this.text.slice(this.start(node.qualifier), node.qualifier.end) : '*';
        return this.typeNode(`import:${arg.literal.text}:${q}`, [], node);
      }
    }
    if (ts.isLiteralTypeNode(node)) return this.typeNode(this.text.slice(this.start(node), node.end), [], node);
    return this.typeNode(ts.tokenToString(node.kind) ?? '?', [], node);
  }

  private typeMembers(members: ts.NodeArray<ts.TypeElement>): Record<string, TypeRef> {
    const out: Record<string, TypeRef> = Object.create(null) as Record<string, TypeRef>;
    for (const m of members) {
      const key = m.name ? propertyKey(m.name) : null;
      if (!key) continue;
      if (ts.isPropertySignature(m) && m.type) out[key] = this.type(m.type);
      else if (ts.isMethodSignature(m) && m.type) out[key] = this.typeNode('=>', [this.type(m.type)], m);
    }
    return out;
  }

  // ---- expressions

  /** An expression that is given to a name: functions and classes without one take it. */
  private exprNamed(node: ts.Expression, nameNode: ts.Identifier | ts.PrivateIdentifier | null): Expr {
    const inner = unwrap(node);
    if (nameNode && (ts.isArrowFunction(inner) || ts.isFunctionExpression(inner))) {
      const own = ts.isFunctionExpression(inner) ? inner.name : undefined;
      const fn = this.fn(
        inner,
        ts.isArrowFunction(inner) ? 'arrow' : 'function',
        own?.text ?? nameNode.text,
        own ?? nameNode,
      );
      return { k: 'fn', fn, s: this.start(inner), e: inner.end };
    }
    return this.expr(node);
  }

  private expr(node: ts.Expression): Expr {
    if (this.isTooDeep(node)) return missing(node.end);
    this.depth++;
    try {
      return this.exprAt(node);
    } finally {
      this.depth--;
    }
  }

  private exprs(list: readonly ts.Expression[]): Expr[] {
    return list.map(x => this.expr(x));
  }

  private exprAt(node: ts.Expression): Expr {
    const s = this.start(node);
    const e = node.end;
    switch (node.kind) {
      case K.Identifier: {
        const text = (node as ts.Identifier).text;
        if (text === '') return missing(e);
        const id = { k: 'id' as const, name: text, b: -1, s, e };
        this.scopes.reference(id, this.ctx.id, undefined, false);
        return id;
      }
      case K.PropertyAccessExpression: {
        const n = node as ts.PropertyAccessExpression;
        return {
          k: 'mem',
          obj: this.expr(n.expression),
          prop: n.name.text,
          ps: this.start(n.name),
          opt: n.questionDotToken !== undefined,
          s,
          e,
        };
      }
      case K.ElementAccessExpression: {
        const n = node as ts.ElementAccessExpression;
        const index = n.argumentExpression;
        if (index && ts.isStringLiteralLike(index))
          return {
            k: 'mem',
            obj: this.expr(n.expression),
            prop: index.text,
            ps: this.start(index),
            opt: n.questionDotToken !== undefined,
            s,
            e,
          };
        return { k: 'idx', obj: this.expr(n.expression), index: index ? this.expr(index) : missing(e), s, e };
      }
      case K.CallExpression: {
        const n = node as ts.CallExpression;
        if (n.expression.kind === K.ImportKeyword) {
          const arg = n.arguments[0];
          if (arg && ts.isStringLiteralLike(arg)) this.specifiers.add(arg.text);
          return { k: 'import', arg: arg ? this.expr(arg) : missing(e), s, e };
        }
        if (ts.isIdentifier(n.expression) && n.expression.text === 'require') {
          const arg = n.arguments[0];
          if (arg && ts.isStringLiteralLike(arg)) this.specifiers.add(arg.text);
        }
        return {
          k: 'call',
          callee: this.expr(n.expression),
          args: this.exprs(n.arguments),
          targs: n.typeArguments ? n.typeArguments.map(t => this.type(t)) : null,
          opt: n.questionDotToken !== undefined,
          s,
          e,
        };
      }
      case K.NewExpression: {
        const n = node as ts.NewExpression;
        return {
          k: 'new',
          callee: this.expr(n.expression),
          args: this.exprs(n.arguments ?? []),
          targs: n.typeArguments ? n.typeArguments.map(t => this.type(t)) : null,
          s,
          e,
        };
      }
      case K.StringLiteral:
      case K.NoSubstitutionTemplateLiteral:
        return { k: 'lit', kind: 'string', value: (node as ts.StringLiteralLike).text, s, e };
      case K.NumericLiteral:
        return { k: 'lit', kind: 'number', value: Number((node as ts.NumericLiteral).text), s, e };
      case K.BigIntLiteral:
        return { k: 'lit', kind: 'bigint', value: (node as ts.BigIntLiteral).text, s, e };
      case K.RegularExpressionLiteral:
        return { k: 'lit', kind: 'regex', value: (node as ts.RegularExpressionLiteral).text, s, e };
      case K.TrueKeyword:
      case K.FalseKeyword:
        return { k: 'lit', kind: 'boolean', value: node.kind === K.TrueKeyword, s, e };
      case K.NullKeyword:
        return { k: 'lit', kind: 'null', value: null, s, e };
      case K.ThisKeyword:
        return { k: 'this', cls: this.ctx.cls, s, e };
      case K.SuperKeyword:
        return { k: 'super', cls: this.ctx.cls, s, e };
      case K.TemplateExpression: {
        const n = node as ts.TemplateExpression;
        return {
          k: 'tmpl',
          quasis: [n.head.text, ...n.templateSpans.map(t => t.literal.text)],
          exprs: n.templateSpans.map(t => this.expr(t.expression)),
          s,
          e,
        };
      }
      case K.TaggedTemplateExpression: {
        const n = node as ts.TaggedTemplateExpression;
        const tag = this.expr(n.tag);
        if (ts.isNoSubstitutionTemplateLiteral(n.template))
          return { k: 'tag', tag, quasis: [n.template.text], exprs: [], s, e };
        return {
          k: 'tag',
          tag,
          quasis: [n.template.head.text, ...n.template.templateSpans.map(t => t.literal.text)],
          exprs: n.template.templateSpans.map(t => this.expr(t.expression)),
          s,
          e,
        };
      }
      case K.ObjectLiteralExpression:
        return { k: 'obj', props: this.props(node as ts.ObjectLiteralExpression), s, e };
      case K.ArrayLiteralExpression:
        return {
          k: 'arr',
          items: (node as ts.ArrayLiteralExpression).elements
            .filter(x => !ts.isOmittedExpression(x))
            .map(x => this.expr(x)),
          s,
          e,
        };
      case K.ArrowFunction:
        return { k: 'fn', fn: this.fn(node as ts.ArrowFunction, 'arrow', null, undefined), s, e };
      case K.FunctionExpression: {
        const n = node as ts.FunctionExpression;
        return { k: 'fn', fn: this.fn(n, 'function', n.name?.text ?? null, n.name), s, e };
      }
      case K.ClassExpression:
        return { k: 'cls', cls: this.cls(node as ts.ClassExpression), s, e };
      case K.AwaitExpression:
        return { k: 'await', arg: this.expr((node as ts.AwaitExpression).expression), s, e };
      case K.YieldExpression: {
        const n = node as ts.YieldExpression;
        return {
          k: 'yield',
          arg: n.expression ? this.expr(n.expression) : null,
          star: n.asteriskToken !== undefined,
          s,
          e,
        };
      }
      case K.ParenthesizedExpression:
        return this.expr((node as ts.ParenthesizedExpression).expression);
      case K.NonNullExpression:
        return { k: 'as', arg: this.expr((node as ts.NonNullExpression).expression), type: null, s, e };
      case K.AsExpression:
      case K.SatisfiesExpression:
      case K.TypeAssertionExpression: {
        const n = node as ts.AsExpression;
        return { k: 'as', arg: this.expr(n.expression), type: this.type(n.type), s, e };
      }
      case K.ConditionalExpression: {
        const n = node as ts.ConditionalExpression;
        return {
          k: 'cond',
          test: this.expr(n.condition),
          yes: this.expr(n.whenTrue),
          no: this.expr(n.whenFalse),
          s,
          e,
        };
      }
      case K.SpreadElement:
        return { k: 'spread', arg: this.expr((node as ts.SpreadElement).expression), s, e };
      case K.PrefixUnaryExpression:
      case K.PostfixUnaryExpression: {
        const n = node as ts.PrefixUnaryExpression | ts.PostfixUnaryExpression;
        const op = ts.tokenToString(n.operator) ?? '?';
        const arg = this.expr(n.operand);
        if ((op === '++' || op === '--') && arg.k === 'id') this.scopes.markWrite(arg, null);
        return { k: 'un', op, prefix: node.kind === K.PrefixUnaryExpression, arg, s, e };
      }
      case K.TypeOfExpression:
        return { k: 'un', op: 'typeof', prefix: true, arg: this.expr((node as ts.TypeOfExpression).expression), s, e };
      case K.VoidExpression:
        return { k: 'un', op: 'void', prefix: true, arg: this.expr((node as ts.VoidExpression).expression), s, e };
      case K.DeleteExpression:
        return { k: 'un', op: 'delete', prefix: true, arg: this.expr((node as ts.DeleteExpression).expression), s, e };
      case K.BinaryExpression:
        return this.binary(node as ts.BinaryExpression, s, e);
      case K.ExpressionWithTypeArguments:
        return this.expr((node as ts.ExpressionWithTypeArguments).expression);
      case K.JsxElement:
      case K.JsxSelfClosingElement:
      case K.JsxFragment:
        this.jsx = true;
        return this.other(node, 'jsx');
      case K.MetaProperty:
        return { k: 'other', what: 'meta', kids: [], s, e };
      case K.OmittedExpression:
        return missing(e);
      default:
        return this.other(node, 'other');
    }
  }

  private other(node: ts.Node, what: 'jsx' | 'other'): Expr {
    const kids: Expr[] = [];
    const visit = (child: ts.Node): void => {
      if (ts.isJsxExpression(child)) {
        if (child.expression) kids.push(this.expr(child.expression));
      } else if (ts.isJsxSpreadAttribute(child)) kids.push(this.expr(child.expression));
      else if (ts.isJsxElement(child) || ts.isJsxSelfClosingElement(child) || ts.isJsxFragment(child))
        kids.push(this.expr(child as ts.Expression));
      else if (what === 'other' && isExpressionNode(child)) kids.push(this.expr(child));
      else ts.forEachChild(child, visit);
    };
    ts.forEachChild(node, visit);
    return { k: 'other', what, kids, s: this.start(node), e: node.end };
  }

  private binary(root: ts.BinaryExpression, s: number, e: number): Expr {
    const op = ts.tokenToString(root.operatorToken.kind) ?? '?';
    if (op === ',') {
      const kids: Expr[] = [];
      let at: ts.Expression = root;
      const tail: ts.Expression[] = [];
      while (ts.isBinaryExpression(at) && at.operatorToken.kind === K.CommaToken) {
        tail.push(at.right);
        at = at.left;
      }
      kids.push(this.expr(at), ...tail.reverse().map(x => this.expr(x)));
      return { k: 'other', what: 'seq', kids, s, e };
    }
    if (isAssignment(root.operatorToken.kind)) {
      const left = unwrap(root.left);
      if (op === '=' && (ts.isObjectLiteralExpression(left) || ts.isArrayLiteralExpression(left))) {
        const value = this.expr(root.right);
        return { k: 'asg', op, target: this.assignPattern(left), value, s, e };
      }
      const target = this.expr(root.left);
      const value = this.exprNamed(root.right, ts.isIdentifier(left) ? left : null);
      if (target.k === 'id') this.scopes.markWrite(target, value);
      if (target.k === 'mem') this.commonJsExport(target, value);
      return { k: 'asg', op, target, value, s, e };
    }
    // Long chains of `a + b + c …` nest to the left; walk them without recursion.
    const spine: ts.BinaryExpression[] = [];
    let at: ts.Expression = root;
    while (ts.isBinaryExpression(at) && !isAssignment(at.operatorToken.kind) && at.operatorToken.kind !== K.CommaToken) {
      spine.push(at);
      at = at.left;
    }
    let result = this.expr(at);
    if (spine.length > MAX_OPERANDS) {
      const rest = spine.reverse().map(n => this.expr(n.right));
      return { k: 'other', what: 'other', kids: [result, ...rest], s, e };
    }
    for (let i = spine.length - 1; i >= 0; i--) {
      const n = spine[i] as ts.BinaryExpression;
      const r = this.expr(n.right);
      result = { k: 'bin', op: ts.tokenToString(n.operatorToken.kind) ?? '?', l: result, r, s: result.s, e: n.end };
    }
    return result;
  }

  /** `module.exports = …`, `module.exports.x = …` and `exports.x = …` at any depth of the file. */
  private commonJsExport(target: Expr & { k: 'mem' }, value: Expr): void {
    const isModuleExports = (x: Expr): boolean =>
      x.k === 'mem' && x.prop === 'exports' && x.obj.k === 'id' && x.obj.name === 'module';
    let name: string | null = null;
    if (isModuleExports(target)) name = '=';
    else if (isModuleExports(target.obj) || (target.obj.k === 'id' && target.obj.name === 'exports'))
      name = target.prop;
    if (name === null) return;
    const local = value.k === 'id' ? this.scopes.lookup(value.name) : -1;
    this.exports.push({ name, local, expr: value, from: null, imported: null });
    this.markExported(value);
  }

  private props(node: ts.ObjectLiteralExpression): Prop[] {
    const out: Prop[] = [];
    for (const p of node.properties) {
      const s = this.start(p);
      const e = p.end;
      if (ts.isPropertyAssignment(p)) {
        const key = propertyKey(p.name);
        const computed = ts.isComputedPropertyName(p.name) ? this.expr(p.name.expression) : null;
        const named = ts.isIdentifier(p.name) ? p.name : null;
        out.push({ key, computed, value: this.exprNamed(p.initializer, named), kind: 'init', s, e });
      } else if (ts.isShorthandPropertyAssignment(p)) {
        out.push({ key: p.name.text, computed: null, value: this.expr(p.name), kind: 'short', s, e });
      } else if (ts.isSpreadAssignment(p)) {
        out.push({ key: null, computed: null, value: this.expr(p.expression), kind: 'spread', s, e });
      } else {
        const kind = ts.isGetAccessor(p) ? 'get' : ts.isSetAccessor(p) ? 'set' : 'method';
        const key = propertyKey(p.name);
        const fnKind = kind === 'get' ? 'getter' : kind === 'set' ? 'setter' : 'method';
        const fn = this.fn(p, fnKind, key, p.name);
        out.push({ key, computed: null, value: { k: 'fn', fn, s, e }, kind, s, e });
      }
    }
    return out;
  }
}

function missing(at: number): Expr {
  return { k: 'other', what: 'missing', kids: [], s: at, e: at };
}

function unwrap(node: ts.Expression): ts.Expression {
  let at = node;
  while (ts.isParenthesizedExpression(at)) at = at.expression;
  return at;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= K.FirstAssignment && kind <= K.LastAssignment;
}

function isExpressionNode(node: ts.Node): node is ts.Expression {
  return ts.isExpression(node);
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers;
  return modifiers?.some(m => m.kind === kind) ?? false;
}

function propertyKey(name: ts.PropertyName | ts.BindingName): string | null {
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return name.text;
  if (ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) return name.expression.text;
  return null;
}

function enumValues(node: ts.EnumDeclaration): Record<string, string | number> {
  const values: Record<string, string | number> = Object.create(null) as Record<string, string | number>;
  let next = 0;
  for (const member of node.members) {
    const key = propertyKey(member.name);
    const init = member.initializer;
    if (init && ts.isStringLiteralLike(init)) {
      if (key) values[key] = init.text;
    } else {
      if (init && ts.isNumericLiteral(init)) next = Number(init.text);
      if (key) values[key] = next;
      next++;
    }
  }
  return values;
}

function directivesOf(statements: readonly ts.Statement[]): string[] {
  const out: string[] = [];
  for (const st of statements) {
    if (!ts.isExpressionStatement(st) || !ts.isStringLiteral(st.expression)) break;
    out.push(st.expression.text);
  }
  return out;
}
