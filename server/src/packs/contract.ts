/**
 * What a pack says about one library: which names give which instances, and what each call does to the world.
 * Mostly data. Owns the shapes; the model reads them, nothing here looks at code.
 *
 * Types are named within the pack (`Pool`); from elsewhere as `<pack id>.<type>` (`pg.Pool`). They stand for what is
 * there once promises are awaited: a call that resolves to a client `returns: 'Client'`.
 */

export type EffectKind =
  | 'http' /* an outgoing request whose method and address the caller chooses */
  | 'sdk' /* a provider's API through its own client */
  | 'rpc'
  | 'db'
  | 'cache'
  | 'queue'
  | 'mail'
  | 'lock'
  | 'connection'
  | 'file'
  | 'process'
  | 'sleep'
  | 'log'
  | 'metric'
  | 'respond';

export type EffectOp =
  | 'read'
  | 'insert'
  | 'update'
  | 'upsert'
  | 'delete'
  | 'write' /* changes something, which way is not known */
  | 'increment'
  | 'raw' /* decided by SQL text, see `sql` */
  | 'begin'
  | 'commit'
  | 'rollback'
  | 'connect'
  | 'acquire'
  | 'release'
  | 'publish'
  | 'ack'
  | 'nack'
  | 'consume'
  | 'request'
  | 'send'
  | 'create'
  | 'charge' /* moves money */
  | 'wait'
  | 'emit';

/** Which part of an operation a bound covers. `total` alone bounds the whole. */
export type BoundPart = 'connect' | 'acquire' | 'headers' | 'idle' | 'total';

/** Milliseconds by part; null: explicitly unbounded; absent: not applicable or not known. */
export type BoundSet = Readonly<Partial<Record<BoundPart, number | null>>>;

/** A value that depends on the installed version. First matching entry wins; the last one has `range: '*'`. */
export interface Versioned<T> {
  /** Range in npm syntax limited to `>=a`, `<b`, `^a`, `a.x` and `*`, space = and. */
  readonly range: string;
  readonly value: T;
}

/** Where an option sits: in which argument (from 0, or `last`) and under which path (`timeout`, `timeout.request`). */
export interface OptionAt {
  readonly arg: number | 'last';
  /** Empty string: the argument itself is the value. */
  readonly path: string;
}

export interface TimeoutOption extends OptionAt {
  readonly bounds: BoundPart;
  /** `s` when the option is in seconds. Default `ms`. */
  readonly unit?: 'ms' | 's';
  /** Another option that must be truthy for this one to bound anything (AWS `throwOnRequestTimeout`). */
  readonly needs?: string;
  /** Versions that read this option; absent: all. */
  readonly range?: string;
}

export interface TimeoutSpec {
  /** What holds when nothing is set. */
  readonly defaults: readonly Versioned<BoundSet>[];
  /** Options of the call itself. */
  readonly call?: readonly TimeoutOption[];
  /** Options where the instance was made (constructor or factory arguments). */
  readonly instance?: readonly TimeoutOption[];
  /** Where an `AbortSignal` goes in the call. A signal that can fire from a timer bounds the total. */
  readonly signal?: readonly OptionAt[];
  /** Option names people write that this library ignores (`timeout` for fetch), where `range` holds. */
  readonly ignored?: readonly (OptionAt & { readonly range?: string })[];
  /** Properties of the instance that are assigned later (`client.defaults.timeout = n`). */
  readonly assigned?: readonly { readonly path: string; readonly bounds: BoundPart }[];
  /** The result is an emitter whose timer only tells: it bounds the call when its listener ends it. */
  readonly timerEvent?: {
    readonly event: string;
    /** Method of the result that sets the timer and takes the listener (`setTimeout`). */
    readonly setter: string;
    /** Methods of the result that end the call. */
    readonly ends: readonly string[];
  };
  /** The property that bounds every call where the client is made; `$ms` stands for the milliseconds. */
  readonly clientFix?: { readonly arg: number; readonly property: string };
  /** How the fix is written. `signal`: `signal: AbortSignal.timeout(n)`; `option`: the named option of the call. */
  readonly fix?: {
    readonly style: 'signal' | 'option' | 'instance';
    readonly arg: number;
    readonly path: string;
    /** Text of the value for the option style, `$ms` standing for the milliseconds. Default `$ms`. */
    readonly value?: string;
    /** Where the signal form needs it: Node versions and so on, as a note for the fix text. */
    readonly note?: string;
  };
}

export interface RetrySpec {
  /** Attempts in all, the first included; null: without end. */
  readonly attempts: readonly Versioned<number | null>[];
  readonly attemptsOption?: readonly (OptionAt & { readonly counts: 'attempts' | 'retries' })[];
  readonly backoff: 'none' | 'constant' | 'exponential' | 'linear';
  readonly jitter: boolean;
  /** Options that give the delay, factor or jitter when set. */
  readonly backoffOption?: readonly OptionAt[];
  /** Options whose number makes the delays constant (`factor: 1`). */
  readonly constantWhen?: readonly (OptionAt & { readonly equals: number })[];
  /** Options that filter which errors are repeated. */
  readonly filterOption?: readonly OptionAt[];
  /** HTTP methods the library repeats by itself; null: all. */
  readonly methods?: readonly string[] | null;
  /** True when the options sit where the receiver was made, not in the call that takes the callback. */
  readonly onInstance?: boolean;
}

export interface IdempotencySpec {
  /** Where the key goes. */
  readonly at: OptionAt;
  /** True when the library makes a key of its own for each call, safe only for its own retries. */
  readonly automatic?: boolean;
  /** Property text for the fix, for example `idempotencyKey`. */
  readonly property: string;
}

export interface EffectSpec {
  readonly kind: EffectKind;
  readonly op: EffectOp;
  /** HTTP method when the member fixes it. */
  readonly method?: string;
  /** HTTP method when an option gives it; GET when that is absent unless `methodDefault` says otherwise. */
  readonly methodAt?: readonly OptionAt[];
  readonly methodDefault?: string;
  readonly urlAt?: OptionAt;
  /** The request's body or payload. */
  readonly bodyAt?: OptionAt;
  /** The argument that holds SQL text (or the tagged template itself: `tag`). */
  readonly sqlAt?: number | 'tag';
  /** Entity from the receiver: `prisma.user.create` → the property before the member. */
  readonly entity?: 'receiver-member' | 'receiver-type' | OptionAt;
  /** Where the filter is (`where`). */
  readonly filterAt?: OptionAt;
  /** Where the written values are (`data`). */
  readonly dataAt?: OptionAt;
  /** Where a limit may be given. */
  readonly limitAt?: readonly OptionAt[];
  /** Where a transaction or session handle may be handed in (sequelize `transaction`, mongoose `session`). */
  readonly handleAt?: readonly OptionAt[];
  /** Where a row lock may be asked for. */
  readonly lockAt?: readonly OptionAt[];
  readonly timeout?: TimeoutSpec;
  readonly retry?: RetrySpec;
  readonly idempotency?: IdempotencySpec;
  /** False: HTTP errors do not reject and the status must be looked at. Only meaningful for `http`. */
  readonly rejectsOnStatus?: boolean;
  /** True when repeating it changes nothing more (set by id, delete). Default by op and method. */
  readonly idempotent?: boolean;
  /** True when many rows or items are read or written at once. */
  readonly many?: boolean;
  /** True when a result that could be absent is turned into an error (`findUniqueOrThrow`). */
  readonly throwsWhenEmpty?: boolean;
  /**
   * Where the operation's own name decides: that of the class an argument constructs (`new PutObjectCommand()`), or of
   * the member that is called. `match` is a regular expression over the name; the first that matches refines the effect.
   */
  readonly variants?: {
    readonly at: OptionAt | 'member';
    readonly list: readonly { readonly match: string; readonly effect: Partial<EffectSpec> }[];
  };
  /** Best effort by nature: metrics, cache deletes. */
  readonly bestEffort?: boolean;
}

/** What a function that is handed in is used for. */
export type CallbackRole =
  | 'transaction' /* runs between begin and commit; its parameter is the handle */
  | 'retry' /* may run several times */
  | 'timeout' /* its result is awaited under a bound */
  | 'limit' /* runs under a concurrency limit */
  | 'lock' /* runs while a lock is held, released by the library */
  | 'consumer' /* a message, job or event handler */
  | 'handler' /* a request handler */
  | 'after-commit'
  | 'step' /* a durable step: its result is kept, it is not run again once done */
  | 'listener'
  | 'sync'; /* runs before the call returns */

/** The library itself ends a transaction that takes too long: it rolls back, and the callback is not stopped. */
export interface TransactionLimit {
  /** Milliseconds where nothing is set. */
  readonly defaults: readonly Versioned<number>[];
  readonly call: OptionAt;
  /** Where the client was made. */
  readonly instance: OptionAt & { readonly range: string };
  /** Code of the error that the next statement, or the commit, then meets. */
  readonly error: string;
  /** The library's name in sentences. */
  readonly library: string;
}

export interface CallbackSpec {
  readonly arg: number | 'last';
  readonly path?: string;
  readonly role: CallbackRole;
  /** Types of its parameters: own type names, or null. */
  readonly params?: readonly (string | null)[];
  /** For callbacks of role `transaction`. */
  readonly limit?: TransactionLimit;
}

export interface CallSpec {
  readonly effect?: EffectSpec;
  /** Type of the result, awaited. `self`: the receiver's type (chained builders). `callback`: what the callback returns. */
  readonly returns?: string;
  /** Types of an array or tuple result's elements. */
  /** Where the result's entity comes from. Default: the receiver's, else the first argument. */
  readonly resultEntity?: 'argument' | 'receiver';
  readonly returnsItems?: readonly (string | null)[];
  /** True when the result is a promise. Default: true where there is an effect other than log, metric or respond. */
  readonly promise?: boolean;
  /** A query builder: nothing happens until it is awaited or `then`ed. */
  readonly lazy?: boolean;
  /** Only the last call of a chain counts as the effect; this one refines it (`.where(…)`, `.limit(…)`, `.forUpdate()`). */
  readonly refines?:
    | 'filter'
    | 'limit'
    | 'lock'
    | 'upsert'
    | 'returning'
    | 'handle'
    | 'timeout'
    | 'values'
    | 'signal'
    | 'skip-locked';
  readonly callbacks?: readonly CallbackSpec[];
  /** For callbacks of role `retry`. */
  readonly retry?: RetrySpec;
  /** For callbacks of role `timeout`: where the milliseconds are. */
  readonly timeoutAt?: OptionAt;
  /** For callbacks of role `limit`: where the concurrency is; absent means a limit is always there. */
  readonly concurrencyAt?: OptionAt;
  /** True when `concurrencyAt` is in the call that made the receiver (a queue's own options). */
  readonly concurrencyOnInstance?: boolean;
  /** True when the call cannot be left unobserved safely (rejects) — default as `promise`. */
  readonly rejects?: boolean;
}

export interface MemberSpec {
  /** A property that is an instance. */
  readonly type?: string;
  readonly call?: CallSpec;
  readonly tag?: CallSpec;
  readonly construct?: ConstructSpec;
}

export interface ConstructSpec {
  readonly type: string;
  /** What the class itself offers (`User.findOne()` where `class User extends Model`). */
  readonly statics?: string;
}

export interface TypeSpec {
  readonly extends?: string;
  readonly members?: Readonly<Record<string, MemberSpec>>;
  /** Any member that is not listed. */
  readonly rest?: MemberSpec;
  /** The instance itself called or used as a template tag. */
  readonly call?: CallSpec;
  readonly tag?: CallSpec;
  /** What `new` on the instance makes: a model object is a class too. */
  readonly construct?: ConstructSpec;
  /** What kind of thing it is. A `pool` gives any connection to each statement; a `connection` is one. */
  readonly role?:
    | 'pool'
    | 'connection'
    | 'client'
    | 'transaction'
    | 'emitter'
    | 'message'
    | 'response'
    | 'request'
    | 'router'
    | 'queue'
    | 'worker'
    | 'logger'
    | 'builder'
    | 'repository';
  /** Must be given back: member names that release it. */
  readonly release?: readonly string[];
  /** An `error` event with no listener ends the process, by version. */
  readonly errorEventCrashes?: readonly Versioned<boolean>[];
}

export type ExportSpec = MemberSpec;

/** One fact with where it was read. */
export interface FactSource {
  readonly topic: string;
  readonly versions: string;
  readonly says: string;
  readonly source: string;
}

export interface Pack {
  /** Also the prefix of its types. */
  readonly id: string;
  /** Import specifiers: exact, or with a trailing `/*`. The first one is the npm name that versions are read of. */
  readonly packages: readonly string[];
  /** Regular expressions over import specifiers of code that the library generates into the project. */
  readonly paths?: readonly string[];
  /** Version assumed when none can be read, and named so in findings. */
  readonly assumedVersion: string;
  readonly types: Readonly<Record<string, TypeSpec>>;
  /** By exported name; `default` also serves `require()` and `import *` where the module is callable. */
  readonly exports: Readonly<Record<string, ExportSpec>>;
  /** Any export that is not listed. */
  readonly restExport?: ExportSpec;
  /** Names that exist without import. */
  readonly globals?: Readonly<Record<string, ExportSpec>>;
  /** Names of TypeScript types of this package → own type, where they differ from `types` and exported classes. */
  readonly typeNames?: Readonly<Record<string, string>>;
  readonly facts: readonly FactSource[];
}

export function definePack(pack: Pack): Pack {
  return pack;
}
