/** The answers of the server, and the data of an exported file. Times are ns on the axis. */

export interface Row {
  readonly row: number;
  readonly kind: string;
  readonly name: string;
  readonly board: string;
  readonly number: number;
  readonly priority?: number;
  /** Number of its run, if two runs are shown. */
  readonly run?: number;
}

/** A remark with a time. */
export interface Bookmark {
  readonly time: number;
  readonly text: string;
}

export interface Bookmarks {
  readonly bookmarks: readonly Bookmark[];
  /** Why no bookmark can be added; empty if it can. */
  readonly no_bookmarks: string;
}

/** One of two runs on one axis. */
export interface Run {
  readonly label: string;
  readonly events: number;
  readonly loss_count: number;
  readonly pause_count: number;
  readonly lost: number;
  readonly balance: Balance;
}

/** The balance of records: offered is the sum of the others. */
export interface Balance {
  readonly offered: number;
  readonly delivered: number;
  readonly overwritten: number;
  readonly dropped: number;
  readonly damaged: number;
}

export interface Segment {
  readonly epoch: number;
  readonly begin: number;
  readonly end: number;
  readonly offset: number;
  readonly name: string;
  readonly known_rate: boolean;
}

/** How much of a tape its index contains. Without it the index is complete. */
export interface Progress {
  readonly version: number;
  readonly complete: boolean;
  readonly read: number;
  readonly total: number;
  readonly error: string;
}

/** The state that a server sends while the tape grows; see tickertape.view.versions. */
export interface News extends Progress {
  readonly state: "waiting" | "recording" | "ended" | "growing";
  readonly text: string;
  /** Whether commands reach the target. */
  readonly controls?: boolean;
  readonly boot?: number;
  /** Events per second. */
  readonly rate?: number;
  readonly balance?: Balance;
}

/** Event classes by name, and whether the target records all of their events, some, or none. */
export interface Classes {
  readonly classes: readonly (readonly [string, "all" | "some" | "none"])[];
}

export interface About extends Partial<Progress>, Bookmarks {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly events: number;
  readonly rows: readonly Row[];
  readonly segments: readonly Segment[];
  readonly states: readonly string[];
  readonly causes: Readonly<Record<string, string>>;
  readonly issues: readonly string[];
  readonly loss_count: number;
  readonly pause_count: number;
  readonly lost: number;
  /** Number of events of the tape, if this is a part of it. */
  readonly part_of?: number;
  /** Two runs; `aligned` describes the time at which they are aligned, the zero of their times. */
  readonly runs?: readonly Run[];
  readonly aligned?: string;
  readonly doubts?: readonly string[];
  /** State of a growing tape. */
  readonly live?: News | null;
}

export interface Slices {
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly state: readonly number[];
  readonly cause: readonly number[];
  readonly detail: readonly number[];
}

export interface Tile {
  readonly states: readonly number[];
  readonly shares: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
}

/** One row of a tile: its intervals if few, else pixels. */
export interface TileRow {
  readonly row: number;
  readonly slices?: Slices;
  readonly tile?: Tile;
}

export interface Tiles {
  readonly begin: number;
  readonly end: number;
  readonly pixels: number;
  readonly rows: readonly TileRow[];
}

export interface Loss {
  readonly cpu: number;
  readonly begin: number;
  readonly end: number;
  readonly count: number;
  readonly reason: string;
  /** Number of the run whose rows it applies to, if two runs are shown. */
  readonly run?: number;
}

/** Reason of a pseudo-loss: only the other run covers this time. */
export const OUTSIDE = "not a part of this run";

/** Reason of a pseudo-loss: these records are on the tape. */
export const UNREAD = "not read yet";

export interface TapeEvent {
  readonly time: number;
  readonly boot: number;
  readonly text: string;
}

export interface StateStats {
  readonly time: number;
  readonly count: number;
  readonly least?: number;
  readonly most?: number;
  readonly most_at?: number;
}

export interface RowStats {
  readonly row: number;
  readonly states: Readonly<Record<string, StateStats>>;
}

export interface Stats {
  readonly rows: readonly RowStats[];
  readonly losses: readonly Loss[];
}

export interface Found {
  readonly rows: readonly number[];
  readonly found: { readonly time: number; readonly row: number } | null;
}

/** The number of values in each bar of a histogram, and their percentiles. */
export interface Bars {
  readonly count: number;
  readonly left_out: number;
  readonly counts: readonly number[];
  readonly least?: number;
  readonly median?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly most?: number;
}

/** A histogram: bar `i` counts values from edge `i` to below edge `i + 1`, in ns. */
export interface Spread extends Bars {
  readonly figure: string;
  readonly figures: readonly string[];
  readonly edges: readonly number[];
  /** The row of the same name of the other run, with the same edges. */
  readonly twin?: Bars & { readonly label: string; readonly row: number; readonly other: number };
}

/** Instances with their values, the greatest first. */
export interface Instances {
  readonly count: number;
  readonly value: readonly number[];
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly number: readonly number[];
}

/** A reason why a task was not done: its time, and its longest stretch. */
export interface Part {
  readonly label: string;
  readonly cause: string;
  readonly ticks: number;
  readonly ns: number;
  readonly begin: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

/** Why a task waited, in instances or in a range of time, whose number is null. */
export interface Whys {
  readonly instances: readonly {
    readonly number: number | null;
    readonly begin: number;
    readonly end: number;
    readonly ns: number;
    readonly begin_known: boolean;
    readonly ended: boolean;
  }[];
  readonly ticks: number;
  readonly ns: number;
  /** Upper bound of the cost of tracing, ns; null if unknown. */
  readonly tracing_ns: number | null;
  readonly parts: readonly Part[];
}

/** An effect of one row on another; see tickertape.view.arrow_log. Rows below 0 are unknown. */
export interface Arrow {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly via: number;
  readonly value: number;
  readonly begin: number;
  readonly end: number;
}

/** One finding: its range on the axis, and the row of its task, below 0 without one. */
export interface Finding {
  readonly what: string;
  readonly begin: number;
  readonly end: number;
  readonly row: number;
}

/** The findings of one detector: their number, the worst of them, and why more may be hidden. */
export interface Group {
  readonly by: string;
  readonly count: number;
  readonly found: readonly Finding[];
  readonly doubts: readonly string[];
}

/** Arrows as columns. */
export type Arrows = { readonly [Name in keyof Arrow]: readonly Arrow[Name][] };

/** The number of arrows that begin in each of equal parts of a range. */
export interface ArrowCounts {
  readonly count: number;
  readonly counts: readonly number[];
}

/** The arrows of a range, or counts if they are too many. */
export type ArrowsIn =
  ArrowCounts | { readonly count: number; readonly arrows: Arrows; readonly counts?: undefined };

/** A source of answers: the server, or the data of an exported file. */
export interface Source {
  about(): Promise<About>;
  progress?(): Promise<Progress>;
  /** Calls `told` with each news, after the previous call is done, and `gone` without a server. */
  watch?(told: (news: News) => Promise<void>, gone: () => void): void;
  /** Controls the target of the tape. */
  control?(verb: string, args: Readonly<Record<string, string>>): Promise<Classes>;
  /** Adds a bookmark to the tape. */
  bookmark?(time: number, text: string): Promise<Bookmarks>;
  tiles(begin: number, end: number, pixels: number, rows: readonly number[]): Promise<Tiles>;
  losses(begin: number, end: number): Promise<readonly Loss[]>;
  events(time: number, before: number, after: number): Promise<readonly TapeEvent[]>;
  find(name: string, time: number, back: boolean): Promise<Found>;
  stats(begin: number, end: number): Promise<Stats>;
  /** Arrows of one row, or of all. */
  arrows(begin: number, end: number, pixels: number, row: number | null): Promise<ArrowsIn>;
  /** The next arrow that leaves a row, or with `back` the last one that reached it. */
  follow(row: number, time: number, back: boolean): Promise<Arrow | null>;
  findings(): Promise<readonly Group[]>;
  /** Missing for a file, which has no instances. */
  spread?(row: number, figure: string, other: string, begin: number, end: number): Promise<Spread>;
  instances?(
    row: number,
    figure: string,
    other: string,
    range: readonly [number, number],
    least: number,
    most: number,
    /** Include instances that only overlap the range. */
    touching?: boolean,
  ): Promise<Instances>;
  /** Explains the `worst` longest instances in a range, or with 0 the range itself. */
  why?(row: number, begin: number, end: number, worst: number): Promise<Whys>;
}

/** Numbers of states, as in tickertape.view.rows. */
export const enum State {
  Unknown = 0,
  Terminated = 1,
  Active = 2,
  Running = 3,
  Ready = 4,
  Waiting = 5,
  Suspended = 6,
  Free = 7,
  Used = 8,
  Full = 9,
  Overfull = 10,
  Polling = 11,
  Parking = 12,
  Kernel = 13,
  Interrupt = 14,
  Point = 15,
}
