import type { Scene } from "./draw";
import { xOf } from "./draw";
import { ROW_HEIGHT } from "./rows";
import { span } from "./time";
import type { Arrow, ArrowCounts, Arrows, ArrowsIn, Source } from "./types";

export const ARROW_MODES = ["of the chosen row", "of all rows", "off"] as const;
type Mode = (typeof ARROW_MODES)[number];

const BINS = 32; // leaves room for a count of several digits in each
const LANE = 18;
const HEAD = 5;
const STUB = 14;
const MOST_LABELLED = 16;
const MOST_SHOWN = 99_999; // larger counts are shown in thousands, rounded down
const COLOURS: Readonly<Record<string, string>> = {
  wake: "muted",
  lock: "mark",
  blocked: "blocked",
  message: "kernel",
  reply: "kernel",
  raised: "blocked",
};
const VERBS: Readonly<Record<string, string>> = {
  wake: "wakes",
  lock: "hands over to",
  blocked: "waits for",
  message: "sends to",
  reply: "replies to",
};

interface Asked {
  readonly begin: number;
  readonly end: number;
  readonly row: number | null;
}

/** Keeps the arrows in the window. Sends one request at a time; the latest waiting one wins. */
export class ArrowLayer {
  mode: Mode = ARROW_MODES[0];
  private known: (Asked & { answer: ArrowsIn }) | null = null;
  private wanted: Asked | null = null;
  private asking = false;
  private era = 0;

  constructor(
    private readonly source: Source,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  next(): Mode {
    this.mode = ARROW_MODES[(ARROW_MODES.indexOf(this.mode) + 1) % ARROW_MODES.length] ?? "off";
    return this.mode;
  }

  /** Drops all answers, because another index answers now. */
  restart(): void {
    this.known = this.wanted = null;
    this.era++;
  }

  /** Returns the number of arrows in the window as text. */
  text(scene: Scene): string {
    const known = this.shown(scene);
    if (!known) return "";
    const { count } = known.answer;
    const many = count === 1 ? "1 arrow" : `${count} arrows`;
    return known.answer.counts ? `${many}, counted: zoom in to see each` : many;
  }

  draw(brush: CanvasRenderingContext2D, scene: Scene, size: Size): void {
    this.want(scene);
    const known = this.shown(scene) ?? this.stale(scene);
    if (!known) return;
    const { answer } = known;
    if (answer.counts) drawCounts(brush, scene, { ...answer, ...known }, size);
    else drawArrows(brush, scene, answer.arrows, size);
  }

  private row(scene: Scene): number | null {
    return this.mode === "of the chosen row" ? scene.selected : null;
  }

  /** The answer for exactly this window; null until it has arrived. */
  private shown(scene: Scene): (Asked & { answer: ArrowsIn }) | null {
    const { begin, end } = scene.window;
    const { known } = this;
    return known && this.stale(scene) && known.begin === begin && known.end === end ? known : null;
  }

  /** The latest answer for the same rows, maybe for another window, so arrows may be missing. */
  private stale(scene: Scene): (Asked & { answer: ArrowsIn }) | null {
    const { known } = this;
    return this.mode !== "off" && known?.row === this.row(scene) ? known : null;
  }

  private want(scene: Scene): void {
    if (this.mode === "off" || this.shown(scene)) return;
    const row = this.row(scene);
    if (row !== null && row < 0) return;
    this.wanted = { begin: scene.window.begin, end: scene.window.end, row };
    void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.wanted) {
        const { era, wanted } = this;
        this.wanted = null;
        const answer = await this.source.arrows(wanted.begin, wanted.end, BINS, wanted.row);
        if (era === this.era) this.known = { ...wanted, answer };
        this.arrived();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.asking = false;
    }
  }
}

export interface Size {
  readonly width: number;
  readonly height: number;
  readonly top: number;
}

/** Describes an arrow in a sentence. */
export function arrowText(scene: Scene, arrow: Arrow): string {
  const name = (row: number): string => (row < 0 ? "unknown" : scene.rows.named(row));
  const via = arrow.via < 0 ? "" : ` (${name(arrow.via)})`;
  const later = arrow.end > arrow.begin ? `, ${span(arrow.end - arrow.begin)} later` : "";
  return `${name(arrow.from)} ${VERBS[arrow.kind] ?? arrow.kind} ${name(arrow.to)}${via}${later}`;
}

function drawArrows(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  arrows: Arrows,
  size: Size,
): void {
  const places = new Map(scene.rows.shown.map((row, place) => [row.row, place]));
  const yOf = (row: number): number | undefined => {
    const place = places.get(row);
    return place === undefined ? undefined : (place + 0.5) * ROW_HEIGHT - size.top;
  };
  const every = each(arrows);
  // Omit a wake-up that coincides with another arrow.
  const other = new Set(
    every.filter((one) => one.kind !== "wake").map((one) => `${one.from} ${one.to} ${one.end}`),
  );
  const shown = every.filter(
    (one) => one.kind !== "wake" || !other.has(`${one.from} ${one.to} ${one.end}`),
  );
  const labelled = shown.length <= MOST_LABELLED;
  brush.save();
  brush.font = "11px system-ui, sans-serif";
  brush.lineWidth = 1.5;
  for (const one of shown) {
    const colour = scene.theme.colour(COLOURS[one.kind] ?? "muted");
    brush.strokeStyle = brush.fillStyle = colour;
    const [x1, x2] = [
      xOf(scene.window, size.width, one.begin),
      xOf(scene.window, size.width, one.end),
    ];
    const [y1, y2] = [yOf(one.from), yOf(one.to)];
    brush.setLineDash(one.kind === "wake" ? [2, 2] : one.kind === "reply" ? [6, 3] : []);
    if (one.kind === "raised") {
      raised(brush, scene, one, x1, x2, y1);
    } else if (y1 !== undefined && y2 !== undefined) {
      line(brush, x1, y1, x2, y2);
      brush.beginPath();
      brush.arc(x1, y1, 2, 0, 2 * Math.PI);
      brush.fill();
      if (labelled) {
        const verb = one.via < 0 ? (VERBS[one.kind] ?? "") : scene.rows.named(one.via);
        label(brush, scene, verb, (x1 + x2) / 2 + 4, (y1 + y2) / 2, colour);
      }
    } else if (y1 !== undefined) {
      const y = y1 + STUB;
      line(brush, x1, y1, x1 + STUB, y);
      label(brush, scene, nameOf(scene, one.to), x1 + STUB + 3, y, colour);
    } else if (y2 !== undefined) {
      const y = y2 - STUB;
      line(brush, x2 - STUB, y, x2, y2);
      label(brush, scene, nameOf(scene, one.from), x2 - STUB - 3, y, colour, true);
    }
  }
  brush.restore();
}

/** Returns the text of an end that is not shown: `?` if unknown, else its hidden row. */
function nameOf(scene: Scene, row: number): string {
  return row < 0 ? "?" : scene.rows.named(row);
}

/** Draws an inherited priority as a bar over the task's row. */
function raised(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  arrow: Arrow,
  left: number,
  right: number,
  y: number | undefined,
): void {
  if (y === undefined) return;
  const top = y - ROW_HEIGHT / 2;
  const text = `priority ${arrow.value}${arrow.to < 0 ? " ?" : ""}`;
  brush.fillRect(left, top, Math.max(right - left, 2), 3);
  brush.beginPath();
  brush.moveTo(left - 4, top + 6);
  brush.lineTo(left, top);
  brush.lineTo(left + 4, top + 6);
  brush.fill();
  if (right - left > brush.measureText(text).width + 12) {
    label(brush, scene, text, Math.max(left, 0) + 8, top + 8, scene.theme.colour("blocked"));
  }
}

function line(
  brush: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  brush.beginPath();
  brush.moveTo(x1, y1);
  brush.lineTo(x2, y2);
  brush.stroke();
  brush.beginPath();
  brush.moveTo(x2, y2);
  for (const side of [-0.45, 0.45]) {
    brush.lineTo(
      x2 - 1.6 * HEAD * Math.cos(angle + side),
      y2 - 1.6 * HEAD * Math.sin(angle + side),
    );
  }
  brush.fill();
}

function label(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  text: string,
  x: number,
  y: number,
  colour: string,
  toTheLeft = false,
): void {
  const wide = brush.measureText(text).width;
  const left = toTheLeft ? x - wide : x;
  brush.fillStyle = scene.theme.colour("paper");
  brush.fillRect(left - 2, y - 7, wide + 4, 14);
  brush.fillStyle = colour;
  brush.textBaseline = "middle";
  brush.fillText(text, left, y);
}

/** Draws the number of arrows that begin in each part of the window, if they are too many. */
function drawCounts(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  found: ArrowCounts & Asked,
  size: Size,
): void {
  const top = size.height - LANE;
  brush.fillStyle = scene.theme.colour("selected");
  brush.fillRect(0, top, size.width, LANE);
  brush.font = "11px system-ui, sans-serif";
  brush.textBaseline = "middle";
  brush.fillStyle = scene.theme.colour("ink");
  const wide = (found.end - found.begin) / found.counts.length;
  found.counts.forEach((count, bin) => {
    if (!count) return;
    const text = count > MOST_SHOWN ? `${Math.floor(count / 1000)}k` : `${count}→`;
    const left = xOf(scene.window, size.width, found.begin + bin * wide);
    brush.fillText(text, left + 2, top + LANE / 2);
  });
}

/** Converts columns to arrows. */
function each(arrows: Arrows): Arrow[] {
  return arrows.kind.map((kind, i) => ({
    kind,
    from: arrows.from[i] ?? -1,
    to: arrows.to[i] ?? -1,
    via: arrows.via[i] ?? -1,
    value: arrows.value[i] ?? -1,
    begin: arrows.begin[i] ?? 0,
    end: arrows.end[i] ?? 0,
  }));
}
