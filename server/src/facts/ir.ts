/**
 * The facts of one file: a compact, plain-data form of its source that everything above the front end reads.
 * Owns the closed union of node kinds. Nodes hold no parent links and no cycles, so that a file's facts can be
 * stored and exchanged. Offsets are UTF-16, `s` inclusive and `e` exclusive. Types are kept only as names.
 */

interface Node {
  readonly s: number;
  readonly e: number;
}

/** A use of a name. `b` is the index of its binding in `FileFacts.bindings`, or -1 when nothing in the file declares it. */
export interface Ident extends Node {
  readonly k: 'id';
  readonly name: string;
  b: number;
}
export interface Member extends Node {
  readonly k: 'mem';
  readonly obj: Expr;
  readonly prop: string;
  /** Start of the property name. */
  readonly ps: number;
  readonly opt: boolean;
}
export interface Index extends Node {
  readonly k: 'idx';
  readonly obj: Expr;
  readonly index: Expr;
}
export interface Call extends Node {
  readonly k: 'call';
  readonly callee: Expr;
  readonly args: readonly Expr[];
  readonly targs: readonly TypeRef[] | null;
  readonly opt: boolean;
}
export interface New extends Node {
  readonly k: 'new';
  readonly callee: Expr;
  readonly args: readonly Expr[];
  readonly targs: readonly TypeRef[] | null;
}
/** `value` of a bigint is its source text with `kind` `bigint`; of a regular expression its source text. */
export interface Lit extends Node {
  readonly k: 'lit';
  readonly kind: 'string' | 'number' | 'bigint' | 'boolean' | 'null' | 'regex';
  readonly value: string | number | boolean | null;
}
export interface Tmpl extends Node {
  readonly k: 'tmpl';
  /** One more than `exprs`. */
  readonly quasis: readonly string[];
  readonly exprs: readonly Expr[];
}
export interface Tagged extends Node {
  readonly k: 'tag';
  readonly tag: Expr;
  readonly quasis: readonly string[];
  readonly exprs: readonly Expr[];
}
export interface Prop extends Node {
  /** null when computed (`computed` holds the expression) or a spread. */
  readonly key: string | null;
  readonly computed: Expr | null;
  readonly value: Expr;
  readonly kind: 'init' | 'short' | 'method' | 'get' | 'set' | 'spread';
}
export interface Obj extends Node {
  readonly k: 'obj';
  readonly props: readonly Prop[];
}
export interface Arr extends Node {
  readonly k: 'arr';
  readonly items: readonly Expr[];
}
/** A function expression or arrow; `fn` indexes `FileFacts.functions`. */
export interface FnExpr extends Node {
  readonly k: 'fn';
  readonly fn: number;
}
export interface ClassExpr extends Node {
  readonly k: 'cls';
  readonly cls: number;
}
export interface Await extends Node {
  readonly k: 'await';
  readonly arg: Expr;
}
export interface Yield extends Node {
  readonly k: 'yield';
  readonly arg: Expr | null;
  readonly star: boolean;
}
export interface Unary extends Node {
  readonly k: 'un';
  /** `!` `-` `+` `~` `typeof` `void` `delete` `++` `--` */
  readonly op: string;
  readonly prefix: boolean;
  readonly arg: Expr;
}
export interface Binary extends Node {
  readonly k: 'bin';
  readonly op: string;
  readonly l: Expr;
  readonly r: Expr;
}
export interface Assign extends Node {
  readonly k: 'asg';
  /** `=`, `+=`, `??=` … */
  readonly op: string;
  /** An expression, or a destructuring pattern. */
  readonly target: Expr | Pattern;
  readonly value: Expr;
}
export interface Cond extends Node {
  readonly k: 'cond';
  readonly test: Expr;
  readonly yes: Expr;
  readonly no: Expr;
}
export interface Spread extends Node {
  readonly k: 'spread';
  readonly arg: Expr;
}
/** `x as T`, `<T>x`, `x satisfies T`; `type` null for `x!`. */
export interface Cast extends Node {
  readonly k: 'as';
  readonly arg: Expr;
  readonly type: TypeRef | null;
}
/** `cls`: the class it is written in, -1 when none. */
export interface This extends Node {
  readonly k: 'this';
  readonly cls: number;
}
export interface Super extends Node {
  readonly k: 'super';
  readonly cls: number;
}
/** `import(x)`; `require(x)` stays a call. */
export interface DynamicImport extends Node {
  readonly k: 'import';
  readonly arg: Expr;
}
/** JSX, sequences and whatever has no own kind: only its sub-expressions are kept. */
export interface Other extends Node {
  readonly k: 'other';
  readonly what: 'jsx' | 'seq' | 'missing' | 'meta' | 'other';
  readonly kids: readonly Expr[];
}
export type Expr =
  | Ident
  | Member
  | Index
  | Call
  | New
  | Lit
  | Tmpl
  | Tagged
  | Obj
  | Arr
  | FnExpr
  | ClassExpr
  | Await
  | Yield
  | Unary
  | Binary
  | Assign
  | Cond
  | Spread
  | Cast
  | This
  | Super
  | DynamicImport
  | Other;

export interface PatId extends Node {
  readonly k: 'pid';
  readonly name: string;
  b: number;
}
export interface PatProp extends Node {
  readonly key: string | null;
  readonly computed: Expr | null;
  readonly value: Pattern;
}
export interface PatObj extends Node {
  readonly k: 'pobj';
  readonly props: readonly PatProp[];
  readonly rest: Pattern | null;
}
export interface PatArr extends Node {
  readonly k: 'parr';
  readonly items: readonly (Pattern | null)[];
}
export interface PatDefault extends Node {
  readonly k: 'pdef';
  readonly target: Pattern;
  readonly value: Expr;
}
/** A member expression as destructuring target (`[a.b] = x`). */
export interface PatExpr extends Node {
  readonly k: 'pexpr';
  readonly expr: Expr;
}
export type Pattern = PatId | PatObj | PatArr | PatDefault | PatExpr;

/** A type as far as names go: `pg.Pool` → name `pg.Pool`; unions and intersections as name `|` / `&` with args; arrays as `[]`. */
export interface TypeRef extends Node {
  readonly name: string;
  readonly args: readonly TypeRef[];
  /** Binding of the first name part, -1 when not declared in the file. */
  b: number;
  /** Members of a literal type, by name. */
  readonly members: Readonly<Record<string, TypeRef>> | null;
}

export interface VarDecl extends Node {
  readonly target: Pattern;
  readonly init: Expr | null;
  readonly type: TypeRef | null;
}
export interface VarStmt extends Node {
  readonly k: 'var';
  readonly kind: 'var' | 'let' | 'const' | 'using' | 'await using';
  readonly decls: readonly VarDecl[];
}
export interface ExprStmt extends Node {
  readonly k: 'expr';
  readonly expr: Expr;
}
export interface Return extends Node {
  readonly k: 'ret';
  readonly arg: Expr | null;
}
export interface Throw extends Node {
  readonly k: 'throw';
  readonly arg: Expr;
}
export interface If extends Node {
  readonly k: 'if';
  readonly test: Expr;
  readonly then: Stmt;
  readonly else: Stmt | null;
}
export interface For extends Node {
  readonly k: 'for';
  readonly init: VarStmt | ExprStmt | null;
  readonly test: Expr | null;
  readonly update: Expr | null;
  readonly body: Stmt;
}
export interface ForEach extends Node {
  readonly k: 'forof' | 'forin';
  readonly await: boolean;
  readonly decl: VarStmt | null;
  readonly target: Expr | null;
  readonly iter: Expr;
  readonly body: Stmt;
}
export interface While extends Node {
  readonly k: 'while' | 'do';
  readonly test: Expr;
  readonly body: Stmt;
}
export interface Try extends Node {
  readonly k: 'try';
  readonly block: Block;
  readonly param: Pattern | null;
  readonly handler: Block | null;
  /** Text of comments in the handler outside nested functions, joined by newlines. */
  readonly handlerComment: string | null;
  readonly final: Block | null;
}
export interface SwitchCase extends Node {
  readonly test: Expr | null;
  readonly body: readonly Stmt[];
}
export interface Switch extends Node {
  readonly k: 'switch';
  readonly disc: Expr;
  readonly cases: readonly SwitchCase[];
}
export interface Block extends Node {
  readonly k: 'block';
  readonly body: readonly Stmt[];
}
export interface Jump extends Node {
  readonly k: 'break' | 'continue';
  readonly label: string | null;
}
export interface Label extends Node {
  readonly k: 'label';
  readonly name: string;
  readonly body: Stmt;
}
export interface FnDecl extends Node {
  readonly k: 'fndecl';
  readonly fn: number;
}
export interface ClassDecl extends Node {
  readonly k: 'clsdecl';
  readonly cls: number;
}
export interface Empty extends Node {
  readonly k: 'empty';
}
export type Stmt =
  | VarStmt
  | ExprStmt
  | Return
  | Throw
  | If
  | For
  | ForEach
  | While
  | Try
  | Switch
  | Block
  | Jump
  | Label
  | FnDecl
  | ClassDecl
  | Empty;

export interface Param extends Node {
  readonly target: Pattern;
  readonly type: TypeRef | null;
  readonly rest: boolean;
  /** `constructor(private readonly x: X)`. */
  readonly property: boolean;
  readonly decorators: readonly Expr[];
}

export interface FunctionFact extends Node {
  readonly id: number;
  /** Own name, else that of the variable, property or class member it is given to; null when it has none. */
  readonly name: string | null;
  readonly kind:
    'module' | 'function' | 'arrow' | 'method' | 'constructor' | 'getter' | 'setter' | 'static-block';
  readonly async: boolean;
  readonly generator: boolean;
  readonly static: boolean;
  readonly params: readonly Param[];
  readonly ret: TypeRef | null;
  /** A block's statements; an arrow's expression body is one `ret` with `exprBody` set. Empty for overloads and abstract members. */
  readonly body: readonly Stmt[];
  readonly exprBody: boolean;
  /** Start of the body: of `{`, or of the expression. */
  readonly bs: number;
  /** The function it is written in; -1 for the module body (function 0). */
  readonly parent: number;
  /** The class it is a member of, -1 when none. */
  readonly cls: number;
  readonly decorators: readonly Expr[];
  readonly exported: boolean;
  /** Name span, for hovers and lenses; the start of the function where it has no name. */
  readonly ns: number;
  readonly ne: number;
  /** `'use server'` and the like at the head of the body. */
  readonly directives: readonly string[];
}

export interface ClassProp extends Node {
  readonly name: string;
  readonly static: boolean;
  readonly init: Expr | null;
  readonly type: TypeRef | null;
  readonly decorators: readonly Expr[];
}
export interface ClassFact extends Node {
  readonly id: number;
  readonly name: string | null;
  readonly extends: Expr | null;
  readonly implements: readonly TypeRef[];
  /** Function ids of methods, accessors and the constructor. */
  readonly methods: readonly number[];
  readonly props: readonly ClassProp[];
  readonly decorators: readonly Expr[];
  readonly parent: number;
  readonly exported: boolean;
}

/** One declared name. `decl` says how a value gets there; later writes are in `writes`. */
export interface Binding {
  readonly name: string;
  readonly kind:
    'import' | 'var' | 'let' | 'const' | 'param' | 'fn' | 'class' | 'catch' | 'enum' | 'type' | 'namespace';
  /** Function whose scope declares it. */
  readonly fn: number;
  readonly s: number;
  /** For `var|let|const`: the initialiser with the path of destructuring that leads to the name; for params: index and path. */
  readonly decl: Decl | null;
  /** Assigned values after the declaration (`null`: written by `++`, a loop head or destructuring). */
  readonly writes: readonly (Expr | null)[];
  /** True when an inner function writes it. */
  readonly closureWrite: boolean;
  /** Number of reads. */
  readonly reads: number;
}
export type PathStepFact = string | number | '*' | '...';
export type Decl =
  | {
      readonly k: 'init';
      readonly init: Expr;
      readonly path: readonly PathStepFact[];
      readonly type: TypeRef | null;
    }
  | { readonly k: 'each'; readonly iter: Expr; readonly path: readonly PathStepFact[] }
  | {
      readonly k: 'param';
      readonly fn: number;
      readonly index: number;
      readonly path: readonly PathStepFact[];
      readonly type: TypeRef | null;
    }
  | { readonly k: 'import'; readonly from: string; readonly name: string; readonly typeOnly: boolean }
  | { readonly k: 'fn'; readonly fn: number }
  | { readonly k: 'cls'; readonly cls: number }
  | { readonly k: 'type'; readonly type: TypeRef | null }
  | { readonly k: 'enum'; readonly values: Readonly<Record<string, string | number>> };

/** `export … `: `local` names a binding, `expr` an exported expression, `from` re-exports (`name` `*` for all). */
export interface ExportFact {
  readonly name: string;
  readonly local: number;
  readonly expr: Expr | null;
  readonly from: string | null;
  readonly imported: string | null;
}

export interface CommentFact extends Node {
  readonly text: string;
}

export interface InterfaceFact {
  readonly name: string;
  readonly members: Readonly<Record<string, TypeRef>>;
  readonly extends: readonly TypeRef[];
}

export interface FileFacts {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly lineStarts: readonly number[];
  /** Number of syntax errors that the parser recovered from. */
  readonly syntaxErrors: readonly { readonly s: number; readonly message: string }[];
  /** functions[0] is the module body. */
  readonly functions: readonly FunctionFact[];
  readonly classes: readonly ClassFact[];
  readonly bindings: readonly Binding[];
  readonly exports: readonly ExportFact[];
  /** Every module specifier that is imported, re-exported, required or dynamically imported. */
  readonly specifiers: readonly string[];
  readonly interfaces: readonly InterfaceFact[];
  readonly directives: readonly string[];
  /** Comments that hold `sixlens-`. */
  readonly comments: readonly CommentFact[];
  readonly jsx: boolean;
}
