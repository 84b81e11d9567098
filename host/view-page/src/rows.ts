import type { Row } from "./types";

export const ROW_HEIGHT = 24;
export const SORTS = ["kind", "priority", "name"] as const;
type Sort = (typeof SORTS)[number];

const KINDS = [
  "run",
  "cpu",
  "task",
  "interrupt",
  "lock",
  "semaphore",
  "inheritance",
  "user event",
  "counter",
  "function",
  "channel",
  "flags",
  "stimulus",
  "domain",
];

/** The rows that are shown, and their order. */
export class Rows {
  readonly pinned = new Set<number>();
  readonly hidden = new Set<number>();
  sort: Sort = "kind";
  shown: readonly Row[] = [];

  constructor(private all: readonly Row[]) {
    this.arrange();
  }

  /** Sets the rows of another index; returns the new number of `selected`, or of the first row. */
  replace(all: readonly Row[], selected: number): number {
    const places = new Map(all.map((row) => [keyOf(row), row.row]));
    const moved = (row: number): number | undefined => {
      const old = this.all[row];
      return old && places.get(keyOf(old));
    };
    const chosen = moved(selected);
    for (const set of [this.pinned, this.hidden]) {
      const rows = [...set].map(moved).filter((row) => row !== undefined);
      set.clear();
      for (const row of rows) set.add(row);
    }
    this.all = all;
    this.arrange();
    return chosen ?? this.shown[0]?.row ?? -1;
  }

  arrange(): void {
    const place = (row: Row): number => (KINDS.indexOf(row.kind) + KINDS.length) % KINDS.length;
    const byKind = (a: Row, b: Row): number =>
      compare(a.board, b.board) ||
      place(a) - place(b) ||
      (b.priority ?? -1) - (a.priority ?? -1) ||
      compare(a.name, b.name) ||
      a.row - b.row;
    const orders: Record<Sort, (a: Row, b: Row) => number> = {
      kind: byKind,
      priority: (a, b) => (b.priority ?? -1) - (a.priority ?? -1) || byKind(a, b),
      name: (a, b) => compare(a.name, b.name) || byKind(a, b),
    };
    // The rows of a run follow the row with its name.
    const order = (a: Row, b: Row): number =>
      (a.run ?? 0) - (b.run ?? 0) ||
      Number(b.kind === "run") - Number(a.kind === "run") ||
      orders[this.sort](a, b);
    const isPinned = (row: Row): number => (this.pinned.has(row.row) ? 0 : 1);
    this.shown = this.all
      .filter((row) => !this.hidden.has(row.row))
      .sort((a, b) => isPinned(a) - isPinned(b) || order(a, b));
  }

  toggle(set: Set<number>, row: number): void {
    if (!set.delete(row)) set.add(row);
    this.arrange();
  }

  nextSort(): Sort {
    this.sort = SORTS[(SORTS.indexOf(this.sort) + 1) % SORTS.length] ?? "kind";
    this.arrange();
    return this.sort;
  }

  /** Returns the first row of a kind and name, written as `kind:name`. */
  called(text: string): number | undefined {
    return this.all.find((row) => `${row.kind}:${row.name}` === text)?.row;
  }

  named(row: number): string {
    return this.all[row]?.name ?? "";
  }
}

/** Returns the identity of a row, which is the same in every index of its tape. */
function keyOf(row: Row): string {
  return JSON.stringify([row.kind, row.board, row.number, row.name]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
