import type { Size } from "./arrows";
import type { Scene } from "./draw";
import { xOf } from "./draw";
import { ROW_HEIGHT } from "./rows";
import { span } from "./time";
import type { Finding, Instances, Source } from "./types";

const MOST_NS = 1e17;
const HEAD = 4;
const KINDS = new Set(["task", "interrupt"]);

interface Asked {
  readonly row: number;
  readonly begin: number;
  readonly end: number;
}

/** Marks instances of the chosen row from activation to end, and missed deadlines. */
export class InstanceLayer {
  private isOn = false;
  private known: (Asked & { answer: Instances }) | null = null;
  private missed: readonly Finding[] | null = null;
  private wanted: Asked | null = null;
  private asking = false;
  private era = 0;

  constructor(
    private readonly source: Source,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  toggle(): boolean {
    this.isOn = !this.isOn;
    return this.isOn;
  }

  /** Drops all answers, because another index answers now. */
  restart(): void {
    this.known = this.wanted = this.missed = null;
    this.era++;
  }

  /** Describes the instance at the cursor, or returns the number of instances. */
  text(scene: Scene): string {
    const known = this.shown(scene);
    if (!known) return "";
    const { count, value, begin, end, number } = known.answer;
    if (count > value.length) return `${count} instances: zoom in to see each`;
    const at = scene.window.cursor;
    const place = begin.findIndex((from, i) => from <= at && at < (end[i] ?? 0));
    if (place < 0) return count === 1 ? "1 instance" : `${count} instances`;
    return `instance ${number[place] ?? 0}: response ${span(value[place] ?? 0)}`;
  }

  draw(brush: CanvasRenderingContext2D, scene: Scene, size: Size): void {
    if (!this.isOn) return;
    this.want(scene);
    const { known } = this;
    const place = scene.rows.shown.findIndex((row) => row.row === scene.selected);
    if (known?.row !== scene.selected || place < 0) return;
    const top = place * ROW_HEIGHT - size.top;
    const x = (time: number): number => xOf(scene.window, size.width, time);
    const { count, value, begin, end } = known.answer;
    if (count === value.length) {
      brush.fillStyle = scene.theme.colour("mark");
      begin.forEach((from, i) => {
        const [left, right] = [x(from), x(end[i] ?? from)];
        brush.fillRect(left, top, Math.max(right - left, 1), 2);
        brush.fillRect(right - 1, top, 1.5, ROW_HEIGHT / 2);
        arrowHead(brush, left, top, false);
      });
    }
    brush.fillStyle = scene.theme.colour("blocked");
    for (const one of this.missed ?? []) {
      if (one.row !== scene.selected) continue;
      brush.fillRect(x(one.end) - 1, top, 2, ROW_HEIGHT - 1);
      arrowHead(brush, x(one.end), top + ROW_HEIGHT - 1, true);
    }
  }

  private shown(scene: Scene): (Asked & { answer: Instances }) | null {
    const { known } = this;
    const { begin, end } = scene.window;
    const isIt = known?.row === scene.selected && known.begin === begin && known.end === end;
    return this.isOn && isIt ? known : null;
  }

  private want(scene: Scene): void {
    const row = scene.about.rows[scene.selected];
    if (!row || !KINDS.has(row.kind) || this.shown(scene)) return;
    this.wanted = { row: scene.selected, begin: scene.window.begin, end: scene.window.end };
    void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.asking || !this.source.instances) return;
    this.asking = true;
    try {
      while (this.wanted) {
        const { era, wanted } = this;
        this.wanted = null;
        const range = [wanted.begin, wanted.end] as const;
        const row = String(wanted.row);
        const answer = await this.source.instances(
          ...([wanted.row, "response", row, range, 0, MOST_NS, true] as const),
        );
        if (era !== this.era) continue;
        this.known = { ...wanted, answer };
        this.arrived();
        if (this.missed) continue;
        const groups = await this.source.findings();
        if (era !== this.era) continue;
        this.missed = groups
          .filter((group) => group.by.endsWith("deadline"))
          .flatMap((one) => one.found);
        this.arrived();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.asking = false;
    }
  }
}

/** Draws the head of an arrow that points up from its position, or down to it. */
function arrowHead(brush: CanvasRenderingContext2D, x: number, y: number, isDown: boolean): void {
  const far = isDown ? y - 2 * HEAD : y + 2 * HEAD;
  brush.beginPath();
  brush.moveTo(x, y);
  brush.lineTo(x - HEAD, far);
  brush.lineTo(x + HEAD, far);
  brush.fill();
}
