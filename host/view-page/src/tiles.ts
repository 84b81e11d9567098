import type { Loss, Source, TileRow } from "./types";

/** The tile of a row in a range of time. */
export interface Known {
  readonly begin: number;
  readonly end: number;
  readonly pixels: number;
  readonly row: TileRow;
}

const MARGIN = 0.5; // share of the window to request on both sides, for panning
const MOST_PIXELS = 4096;

/** Keeps the latest tile of each row, and requests new ones, one request at a time. */
export class Tiles {
  private readonly known = new Map<number, Known>();
  private losses: readonly Loss[] = [];
  private asking = false;
  private era = 0;
  private renewing = false;
  private wanted: (() => Promise<void>) | null = null;

  constructor(
    private readonly source: Source,
    private whole: readonly [number, number],
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  of(row: number): Known | undefined {
    return this.known.get(row);
  }

  get allLosses(): readonly Loss[] {
    return this.losses;
  }

  get busy(): boolean {
    return this.asking;
  }

  /** Whether no tile has arrived since `restart`, and a request is pending. */
  get isRenewing(): boolean {
    return this.renewing && (this.asking || this.wanted !== null);
  }

  /** Drops all tiles, because another index answers now, with other row numbers. */
  restart(whole: readonly [number, number]): void {
    this.whole = whole;
    this.known.clear();
    this.losses = [];
    this.wanted = null;
    this.renewing = true;
    this.era++;
  }

  /** Requests the missing tiles of these rows; a later call replaces a waiting one. */
  want(begin: number, end: number, pixels: number, rows: readonly number[]): void {
    const range = end - begin;
    const missing = rows.filter((row) => !this.isGood(row, begin, end, pixels));
    if (!missing.length) return;
    const from = Math.max(Math.floor(begin - range * MARGIN), this.whole[0]);
    const to = Math.min(Math.ceil(end + range * MARGIN), this.whole[1]);
    const fit = Math.max(1, Math.min(MOST_PIXELS, Math.round((pixels * (to - from)) / range)));
    const era = this.era;
    this.wanted = async () => {
      const [tiles, losses] = await Promise.all([
        this.source.tiles(from, to, fit, missing.slice(0, 128)),
        this.source.losses(from, to),
      ]);
      if (era !== this.era) return;
      this.renewing = false;
      this.losses = losses;
      for (const row of tiles.rows) {
        this.known.set(row.row, { begin: from, end: to, pixels: fit, row });
      }
    };
    void this.ask();
  }

  private isGood(row: number, begin: number, end: number, pixels: number): boolean {
    const known = this.known.get(row);
    if (!known || known.begin > begin || known.end < end) return false;
    if (known.row.slices) return true;
    const mine = known.pixels / (known.end - known.begin);
    const needed = pixels / (end - begin);
    return mine >= needed * 0.9 && mine <= needed * 3;
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.wanted) {
        const question = this.wanted;
        this.wanted = null;
        await question();
        this.arrived();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.asking = false;
    }
  }
}
