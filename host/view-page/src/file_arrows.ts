import type { Arrow, Arrows, ArrowsIn } from "./types";

const MOST_ARROWS = 200;
const RAISED = 5;

/** The arrows of an exported file, sorted by begin; as tickertape.view.arrows. */
export class FileArrows {
  constructor(
    private readonly names: readonly string[],
    private readonly kind: Uint8Array,
    private readonly from: Int32Array,
    private readonly to: Int32Array,
    private readonly via: Int32Array,
    private readonly value: Int32Array,
    private readonly begin: Float64Array,
    private readonly end: Float64Array,
  ) {}

  within(begin: number, end: number, bins: number, row: number | null): ArrowsIn {
    const found: number[] = [];
    for (let i = 0; i < this.begin.length && this.at(this.begin, i) < end; i++) {
      if (this.at(this.end, i) < begin) continue;
      if (row === null || this.touches(i, row)) found.push(i);
    }
    const count = found.length;
    if (count <= MOST_ARROWS) return { count, arrows: this.columns(found) };
    const counts = new Array<number>(bins).fill(0);
    for (const i of found) {
      const since = Math.max(this.at(this.begin, i), begin) - begin;
      const bin = Math.floor((since * bins) / (end - begin));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return { count, counts };
  }

  follow(row: number, when: number, back: boolean): Arrow | null {
    let best = -1;
    let latest = -1;
    for (let i = 0; i < this.begin.length; i++) {
      const [begin, end] = [this.at(this.begin, i), this.at(this.end, i)];
      if (this.at(this.kind, i) === RAISED) continue;
      const passes = this.at(this.via, i) === row;
      if (!back) {
        const leaves = this.at(this.from, i) === row && begin >= when;
        if (leaves || (passes && begin > when)) return this.one(i);
        continue;
      }
      if (begin > when) break;
      const arrives = this.at(this.to, i) === row && end <= when;
      const key = passes ? begin : end;
      if ((arrives || (passes && begin < when)) && key > latest) [best, latest] = [i, key];
    }
    return best < 0 ? null : this.one(best);
  }

  private touches(i: number, row: number): boolean {
    return [this.from, this.to, this.via].some((column) => column[i] === row);
  }

  private at(column: Float64Array | Int32Array | Uint8Array, i: number): number {
    return column[i] ?? 0;
  }

  private one(i: number): Arrow {
    const { kind, from, to, via, value, begin, end } = this.columns([i]);
    const first = <T>(values: readonly T[]): T => values[0] as T;
    return {
      kind: first(kind),
      from: first(from),
      to: first(to),
      via: first(via),
      value: first(value),
      begin: first(begin),
      end: first(end),
    };
  }

  private columns(places: readonly number[]): Arrows {
    const column = (values: Float64Array | Int32Array): number[] =>
      places.map((i) => this.at(values, i));
    return {
      kind: places.map((i) => this.names[this.at(this.kind, i)] ?? ""),
      from: column(this.from),
      to: column(this.to),
      via: column(this.via),
      value: column(this.value),
      begin: column(this.begin),
      end: column(this.end),
    };
  }
}
