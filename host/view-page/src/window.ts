/** The part of the axis that is shown, with cursor and marks. */
export class Window {
  begin: number;
  end: number;
  cursor: number;
  /** The two ends of a measurement, in the order in which they were set. */
  marks: number[] = [];
  private first: number;
  private last: number;

  constructor(first: number, last: number) {
    this.first = first;
    this.last = Math.max(last, first + 1);
    this.begin = this.first;
    this.end = this.last;
    this.cursor = this.first;
  }

  get range(): number {
    return this.end - this.begin;
  }

  get whole(): readonly [number, number] {
    return [this.first, this.last];
  }

  /** Sets another extent of the axis. The window stays; a window of the whole axis grows with it,
   * unless `stays`. */
  reach(first: number, last: number, stays = false): void {
    const isWhole = !stays && this.begin === this.first && this.end === this.last;
    this.first = first;
    this.last = Math.max(last, first + 1);
    if (isWhole) this.show(this.first, this.last);
    else this.show(this.begin, this.end);
    this.moveCursor(this.cursor);
  }

  /** Shows a range, cut to the axis, of at least 2 ns. */
  show(begin: number, end: number): void {
    const most = this.last - this.first;
    const range = Math.min(Math.max(Math.round(end - begin), 2), most);
    const from = Math.round(Math.min(Math.max(begin, this.first), this.last - range));
    this.begin = from;
    this.end = from + range;
  }

  pan(share: number): void {
    const by = Math.round(this.range * share) || Math.sign(share);
    this.show(this.begin + by, this.end + by);
  }

  /** Zooms in by a factor below 1, out by one above 1; the time `at` keeps its place. */
  zoom(factor: number, at: number): void {
    const range = Math.min(Math.max(this.range * factor, 2), this.last - this.first);
    const share = (at - this.begin) / this.range;
    const begin = at - share * range;
    this.show(begin, begin + range);
  }

  moveCursor(time: number): void {
    this.cursor = Math.round(Math.min(Math.max(time, this.first), this.last - 1));
  }

  /** Moves the window so that the cursor is in it. */
  follow(): void {
    if (this.cursor < this.begin || this.cursor >= this.end) {
      this.show(this.cursor - this.range / 2, this.cursor + this.range / 2);
    }
  }

  /** Moves the window and the cursor to the end of the axis; the range keeps its length. */
  toEnd(): void {
    this.show(this.last - this.range, this.last);
    this.moveCursor(this.last);
  }

  /** Whether window and cursor are at the end. */
  get isAtEnd(): boolean {
    return this.end >= this.last - this.range / 100 && this.cursor >= this.last - 1;
  }

  mark(): void {
    this.marks = [...this.marks.slice(-1), this.cursor];
  }

  /** The marked range in order; null without two marks. */
  get marked(): readonly [number, number] | null {
    const [a, b] = this.marks;
    if (a === undefined || b === undefined || a === b) return null;
    return a < b ? [a, b] : [b, a];
  }

  /** The fragment of an address with window, cursor and marks. */
  get hash(): string {
    const marks = this.marks.length ? `&marks=${this.marks.join(",")}` : "";
    return `#from=${this.begin}&to=${this.end}&at=${this.cursor}${marks}`;
  }

  set hash(text: string) {
    const words = new URLSearchParams(text.replace(/^#/, ""));
    const number = (name: string): number => Number(words.get(name) ?? NaN);
    const [from, to, at] = [number("from"), number("to"), number("at")];
    if (to > from) this.show(from, to);
    if (Number.isFinite(at)) this.moveCursor(at);
    if (Number.isFinite(at) && !(to > from)) this.follow();
    const marks = (words.get("marks") ?? "").split(",").map(Number);
    if (marks.length <= 2 && words.has("marks") && marks.every(Number.isFinite)) this.marks = marks;
  }
}
