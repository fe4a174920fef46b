/**
 * Memory for evaluations that may ask for themselves. Owns the rule that makes answers independent of who asked first: what
 * was found while it leaned on something unfinished is kept only until that is finished, then found anew when asked again.
 */

/** Where answers to one kind of question are kept. */
export interface MemoTable<K, V> {
  get(key: K): V | Pending | undefined;
  set(key: K, value: V | Pending): unknown;
  delete(key: K): unknown;
}

/** Stands in a table for what is being evaluated. */
class Pending {
  constructor(readonly level: number) {}
}

export class CyclicMemo<V> {
  private level = 0;
  /** Levels of the unfinished evaluations that the current one has leaned on; null while there are none. */
  private leans: Set<number> | null = null;
  /** Answers that lean on unfinished evaluations, with their levels. */
  private readonly provisional = new Map<unknown, ReadonlySet<number>>();
  /** What is to be dropped when the evaluation at a level is finished. */
  private readonly heldBy: (() => void)[][] = [];

  /** `unfinished` is the answer to a question that leads back to itself, or is nested deeper than `maxDepth`. */
  constructor(
    private readonly unfinished: V,
    private readonly maxDepth: number,
  ) {}

  once<K>(table: MemoTable<K, V>, key: K, compute: () => V): V {
    const known = table.get(key);
    if (known instanceof Pending) {
      this.lean(known.level);
      return this.unfinished;
    }
    if (known !== undefined) {
      if (this.provisional.size > 0) for (const level of this.provisional.get(key) ?? []) this.lean(level);
      return known;
    }
    const level = this.level;
    const outer = this.leans;
    if (!this.enter()) return this.unfinished;
    this.leans = null;
    table.set(key, new Pending(level));
    try {
      const value = compute();
      table.set(key, value);
      return value;
    } catch (error) {
      table.delete(key);
      throw error;
    } finally {
      this.level--;
      this.release(level);
      const leans = this.leans as Set<number> | null;
      this.leans = outer;
      leans?.delete(level);
      if (leans && leans.size > 0) {
        this.hold(leans, table, key);
        for (const each of leans) this.lean(each);
      }
    }
  }

  /** One level deeper, for what is not remembered. */
  nested(compute: () => V): V {
    if (!this.enter()) return this.unfinished;
    try {
      return compute();
    } finally {
      this.level--;
    }
  }

  /** The level of what is evaluated now, to `lean` on later. */
  get current(): number {
    return this.level;
  }

  /** Notes that the current evaluation used something which the evaluation at `level` has not finished. */
  lean(level: number): void {
    (this.leans ??= new Set()).add(level);
  }

  private enter(): boolean {
    if (this.level > this.maxDepth) {
      // How deep one is depends on where one started.
      this.lean(0);
      return false;
    }
    this.level++;
    return true;
  }

  /** Until the innermost of them is finished: from then on the answer is out of date. */
  private hold<K>(leans: ReadonlySet<number>, table: MemoTable<K, V>, key: K): void {
    this.provisional.set(key, leans);
    (this.heldBy[Math.max(...leans)] ??= []).push(() => {
      if (this.provisional.get(key) !== leans) return;
      this.provisional.delete(key);
      table.delete(key);
    });
  }

  private release(level: number): void {
    const held = this.heldBy[level];
    if (!held || held.length === 0) return;
    this.heldBy[level] = [];
    for (const drop of held) drop();
  }
}
