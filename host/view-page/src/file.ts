import { FileArrows } from "./file_arrows";
import type { About, Arrow, ArrowsIn, Found, Group, Loss, RowStats, Source, Stats } from "./types";
import type { StateStats, TapeEvent, TileRow, Tiles } from "./types";
import { State } from "./types";

interface Header {
  readonly about: About;
  readonly offsets: readonly number[];
  readonly losses: readonly Loss[];
  readonly events: {
    readonly time: readonly number[];
    readonly boot: readonly number[];
    readonly text: readonly number[];
  };
  readonly texts: readonly string[];
  readonly arrow_names: readonly string[];
  readonly findings: readonly Group[];
}

const NOTABLE: ReadonlySet<number> = new Set([
  State.Running,
  State.Used,
  State.Full,
  State.Overfull,
  State.Interrupt,
  State.Point,
]);

/** Answers from the data of an exported file, as tickertape.view.queries does from an index. */
export class FileSource implements Source {
  private constructor(
    private readonly header: Header,
    private readonly time: Float64Array,
    private readonly detail: Int32Array,
    private readonly state: Uint8Array,
    private readonly cause: Uint8Array,
    private readonly known: FileArrows,
  ) {}

  /** Decodes the data, base64 of a gzip stream; see tickertape.view.export. */
  static async of(text: string): Promise<FileSource> {
    const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = await new Response(stream).arrayBuffer();
    const view = new DataView(bytes);
    const [count, arrows] = [view.getUint32(0, true), view.getUint32(4, true)];
    let place = 8;
    const next = (size: number, length: number): number => {
      place += size * length;
      return place - size * length;
    };
    const doubles = (length: number): Float64Array =>
      new Float64Array(bytes, next(8, length), length);
    const words = (length: number): Int32Array => new Int32Array(bytes, next(4, length), length);
    const letters = (length: number): Uint8Array => new Uint8Array(bytes, next(1, length), length);
    const [time, begin, end] = [doubles(count), doubles(arrows), doubles(arrows)];
    const [detail, from, to] = [words(count), words(arrows), words(arrows)];
    const [via, value] = [words(arrows), words(arrows)];
    const [state, cause, kind] = [letters(count), letters(count), letters(arrows)];
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, place))) as Header;
    const { arrow_names } = header;
    const known = new FileArrows(arrow_names, kind, from, to, via, value, begin, end);
    for (let row = 0; row + 1 < header.offsets.length; row++) {
      const [first, last] = [header.offsets[row] ?? 0, header.offsets[row + 1] ?? 0];
      for (let i = first + 1; i < last; i++) time[i] = (time[i] ?? 0) + (time[i - 1] ?? 0);
    }
    return new FileSource(header, time, detail, state, cause, known);
  }

  about(): Promise<About> {
    return Promise.resolve(this.header.about);
  }

  findings(): Promise<readonly Group[]> {
    return Promise.resolve(this.header.findings);
  }

  tiles(begin: number, end: number, pixels: number, rows: readonly number[]): Promise<Tiles> {
    return Promise.resolve({
      begin,
      end,
      pixels,
      rows: rows.map((row) => this.tile(row, begin, end, pixels)),
    });
  }

  losses(begin: number, end: number): Promise<readonly Loss[]> {
    const { losses } = this.header;
    return Promise.resolve(losses.filter((one) => one.begin <= end && one.end >= begin));
  }

  events(time: number, before: number, after: number): Promise<readonly TapeEvent[]> {
    const { events, texts } = this.header;
    const place = lower(events.time, time, 0, events.time.length);
    const found: TapeEvent[] = [];
    for (let i = Math.max(place - before, 0); i < place + after && i < events.time.length; i++) {
      found.push({
        time: events.time[i] ?? 0,
        boot: events.boot[i] ?? 0,
        text: texts[events.text[i] ?? 0] ?? "",
      });
    }
    return Promise.resolve(found);
  }

  find(name: string, time: number, back: boolean): Promise<Found> {
    const wanted = name.toLowerCase();
    const rows = this.header.about.rows
      .filter((row) => row.name.toLowerCase().includes(wanted))
      .map((row) => row.row);
    let found: { time: number; row: number } | null = null;
    for (const row of rows) {
      const at = this.next(row, time, back);
      if (at !== null && (!found || (back ? at > found.time : at < found.time))) {
        found = { time: at, row };
      }
    }
    return Promise.resolve({ rows, found });
  }

  stats(begin: number, end: number): Promise<Stats> {
    const rows = this.header.about.rows.map((row) => this.statsOf(row.row, begin, end));
    const losses = this.header.losses.filter((one) => one.begin <= end && one.end >= begin);
    return Promise.resolve({ rows: rows.filter((one) => Object.keys(one.states).length), losses });
  }

  arrows(begin: number, end: number, pixels: number, row: number | null): Promise<ArrowsIn> {
    return Promise.resolve(this.known.within(begin, end, pixels, row));
  }

  follow(row: number, time: number, back: boolean): Promise<Arrow | null> {
    return Promise.resolve(this.known.follow(row, time, back));
  }

  private range(row: number): readonly [number, number] {
    return [this.header.offsets[row] ?? 0, this.header.offsets[row + 1] ?? 0];
  }

  /** Returns the end of an interval, which is the begin of the next one in its row. */
  private endOf(place: number, last: number): number {
    return place + 1 < last ? (this.time[place + 1] ?? 0) : this.header.about.end;
  }

  private tile(row: number, begin: number, end: number, pixels: number): TileRow {
    const [first, last] = this.range(row);
    const from = Math.max(lower(this.time, begin, first, last) - 1, first);
    const to = lower(this.time, end, from, last);
    if (to - from <= Math.max(pixels / 2, 64)) {
      const places = Array.from({ length: to - from }, (_, i) => from + i);
      return {
        row,
        slices: {
          begin: places.map((i) => this.time[i] ?? 0),
          end: places.map((i) => this.endOf(i, last)),
          state: places.map((i) => this.state[i] ?? 0),
          cause: places.map((i) => this.cause[i] ?? 0),
          detail: places.map((i) => this.detail[i] ?? 0),
        },
      };
    }
    return { row, tile: this.pixels(begin, end, pixels, from, to, last) };
  }

  private pixels(
    begin: number,
    end: number,
    pixels: number,
    from: number,
    to: number,
    last: number,
  ): { states: number[]; shares: number[][]; counts: number[][] } {
    const size = (end - begin) / pixels;
    const times = new Map<number, Float64Array>();
    const many = new Map<number, Uint32Array>();
    for (let i = from; i < to; i++) {
      const state = this.state[i] ?? 0;
      const spent = times.get(state) ?? new Float64Array(pixels);
      const count = many.get(state) ?? new Uint32Array(pixels);
      times.set(state, spent);
      many.set(state, count);
      const start = this.time[i] ?? 0;
      const left = Math.max(start, begin);
      const right = Math.min(this.endOf(i, last), end);
      const first = Math.min(Math.floor((left - begin) / size), pixels - 1);
      if (start >= begin) count[first] = (count[first] ?? 0) + 1;
      for (let pixel = first; pixel < pixels && begin + pixel * size < right; pixel++) {
        const a = Math.max(left, begin + pixel * size);
        const b = Math.min(right, begin + (pixel + 1) * size);
        spent[pixel] = (spent[pixel] ?? 0) + Math.max(b - a, 0);
      }
    }
    const states = [...times.keys()].sort((a, b) => a - b);
    const share = (spent: number): number => Math.min(Math.ceil((spent * 255) / size), 255);
    return {
      states,
      shares: states.map((state) => Array.from(times.get(state) ?? [], share)),
      counts: states.map((state) => Array.from(many.get(state) ?? [])),
    };
  }

  private next(row: number, time: number, back: boolean): number | null {
    const [first, last] = this.range(row);
    const step = back ? -1 : 1;
    let place = back
      ? lower(this.time, time, first, last) - 1
      : lower(this.time, time + 1, first, last);
    for (; place >= first && place < last; place += step) {
      if (NOTABLE.has(this.state[place] ?? 0)) return this.time[place] ?? null;
    }
    return null;
  }

  private statsOf(row: number, begin: number, end: number): RowStats {
    const [first, last] = this.range(row);
    const from = Math.max(lower(this.time, begin, first, last) - 1, first);
    const to = lower(this.time, end, from, last);
    const states: Record<string, StateStats> = {};
    for (let i = from; i < to; i++) {
      const state = String(this.state[i] ?? 0);
      const [a, b] = [this.time[i] ?? 0, this.endOf(i, last)];
      const spent = Math.min(b, end) - Math.max(a, begin);
      const known = states[state] ?? { time: 0, count: 0 };
      const whole = a >= begin && b <= end && i + 1 < last && state !== String(State.Point);
      const longer = whole && b - a > (known.most ?? -1);
      states[state] = {
        ...known,
        time: known.time + Math.max(spent, 0),
        count: known.count + (a >= begin ? 1 : 0),
        ...(whole ? { least: Math.min(known.least ?? Infinity, b - a) } : {}),
        ...(longer ? { most: b - a, most_at: a } : {}),
      };
    }
    const known = Object.keys(states).some((state) => state !== "0");
    return { row, states: known ? states : {} };
  }
}

/** Returns the first index of an ascending array whose value is at least the limit. */
function lower(values: ArrayLike<number>, limit: number, first: number, last: number): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
