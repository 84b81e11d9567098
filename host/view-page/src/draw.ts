import type { Known, Tiles } from "./tiles";
import type { Rows } from "./rows";
import { ROW_HEIGHT } from "./rows";
import type { About, Row, Slices, Tile } from "./types";
import { OUTSIDE, State, UNREAD } from "./types";
import { lookOf, type Theme } from "./theme";
import type { Window } from "./window";
import { clock, segmentAt, span, step } from "./time";

const INSET = 3;
const LOSSES_TOP = 26; // pixels from the top of the axis
const LABEL_ROOM = 7; // approximate width of a letter, pixels
const ORDER = [
  State.Running,
  State.Polling,
  State.Interrupt,
  State.Point,
  State.Overfull,
  State.Full,
  State.Used,
  State.Waiting,
  State.Ready,
  State.Parking,
  State.Active,
  State.Suspended,
  State.Kernel,
  State.Free,
  State.Unknown,
];

export interface Scene {
  readonly about: About;
  readonly window: Window;
  readonly rows: Rows;
  readonly tiles: Tiles;
  readonly theme: Theme;
  readonly selected: number;
  /** Numbers of the causes that mean a wait for a lock. */
  readonly locks: ReadonlySet<number>;
}

/** Draws the visible rows; `top` is the scroll position in pixels. */
export function drawRows(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  height: number,
  top: number,
): void {
  const { theme, rows } = scene;
  brush.fillStyle = theme.colour("paper");
  brush.fillRect(0, 0, width, height);
  const first = Math.floor(top / ROW_HEIGHT);
  const last = Math.min(rows.shown.length, Math.ceil((top + height) / ROW_HEIGHT));
  brush.font = "11px system-ui, sans-serif";
  brush.textBaseline = "middle";
  for (let place = first; place < last; place++) {
    const row = rows.shown[place];
    if (!row) continue;
    const y = place * ROW_HEIGHT - top;
    if (row.row === scene.selected) {
      brush.fillStyle = theme.colour("selected");
      brush.fillRect(0, y, width, ROW_HEIGHT);
    }
    brush.fillStyle = theme.colour("line");
    brush.fillRect(0, y + ROW_HEIGHT - 1, width, 1);
    const known = scene.tiles.of(row.row);
    if (known?.row.slices) drawSlices(brush, scene, row, known.row.slices, y, width);
    else if (known?.row.tile) drawTile(brush, scene, row, known, known.row.tile, y, width);
  }
  for (const band of bandsOf(scene, first, last, top, height))
    drawLosses(brush, scene, width, band);
  drawMarks(brush, scene, width, height);
}

/** An area in which losses are drawn: all rows, or rows of one run. */
interface Band {
  readonly top: number;
  readonly height: number;
  readonly withText: boolean;
  readonly run?: number | undefined;
}

/** Returns the bands of visible rows that share the same losses. */
function bandsOf(scene: Scene, first: number, last: number, top: number, height: number): Band[] {
  if (!scene.about.runs) return [{ top: 0, height, withText: false }];
  const bands: Band[] = [];
  for (let place = first; place < last; place++) {
    const row = scene.rows.shown[place];
    const before = bands.at(-1);
    const withText = row?.kind === "run";
    if (before && before.run === row?.run && !before.withText && !withText) {
      bands[bands.length - 1] = { ...before, height: before.height + ROW_HEIGHT };
    } else {
      bands.push({ top: place * ROW_HEIGHT - top, height: ROW_HEIGHT, withText, run: row?.run });
    }
  }
  return bands;
}

/** Draws the axis of time, and the losses with their text. */
export function drawAxis(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  height: number,
): void {
  const { theme, window, about } = scene;
  brush.fillStyle = theme.colour("paper");
  brush.fillRect(0, 0, width, height);
  brush.font = "11px system-ui, sans-serif";
  brush.textBaseline = "middle";
  const distance = step(window.range, Math.max(width / 110, 1));
  const offset = segmentAt(about.segments, window.begin)?.offset ?? 0;
  const from = Math.ceil((window.begin - offset) / distance) * distance + offset;
  for (let time = from; time < window.end; time += distance) {
    const x = xOf(window, width, time);
    brush.fillStyle = theme.colour("line");
    brush.fillRect(x, 16, 1, 6);
    brush.fillStyle = theme.colour("ink");
    const local = time - (segmentAt(about.segments, time)?.offset ?? 0);
    brush.fillText(span(local), x + 3, 9);
  }
  for (const one of about.segments) {
    const x = xOf(window, width, one.begin);
    if (about.segments.length > 1 && x >= 0 && x <= width) {
      brush.fillStyle = theme.colour("ink");
      brush.fillRect(x, 0, 2, 24);
      brush.fillText(one.name, x + 5, 20);
    }
  }
  for (const one of about.bookmarks) {
    const x = xOf(window, width, one.time);
    if (x < 0 || x > width) continue;
    brush.fillStyle = theme.colour("point");
    brush.fillText(`\u2691 ${one.text}`, x + 3, 20);
  }
  const { runs } = about;
  if (runs) {
    const half = (height - LOSSES_TOP) / runs.length;
    runs.forEach((_, run) => {
      const band = { top: LOSSES_TOP + run * half, height: half, withText: false, run };
      drawLosses(brush, scene, width, band);
    });
  } else {
    const band = { top: LOSSES_TOP, height: height - LOSSES_TOP, withText: true };
    drawLosses(brush, scene, width, band);
  }
  drawMarks(brush, scene, width, height);
}

export function xOf(window: Window, width: number, time: number): number {
  return ((time - window.begin) / window.range) * width;
}

function drawSlices(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  row: Row,
  slices: Slices,
  y: number,
  width: number,
): void {
  const { window } = scene;
  if (row.kind === "counter") {
    drawSteps(brush, scene, slices, y, width);
    return;
  }
  const count = slices.begin.length;
  // Long intervals first, so that they do not cover short ones.
  for (const isShort of [false, true]) {
    for (let i = 0; i < count; i++) {
      const begin = slices.begin[i] ?? 0;
      const state = slices.state[i] ?? 0;
      const isPoint = state === State.Point;
      const end = isPoint ? begin : (slices.end[i] ?? begin);
      if (end < window.begin || begin > window.end) continue;
      const left = Math.max(xOf(window, width, begin), -1);
      const right = Math.min(xOf(window, width, end), width + 1);
      if (right - left < 1.5 !== isShort) continue;
      const blocked = state === State.Waiting && scene.locks.has(slices.cause[i] ?? 0);
      const wide = Math.max(right - left, isPoint ? 2 : 1);
      paint(brush, scene, row.kind, state, blocked, left, wide, y);
      if (wide > 24 && state !== State.Unknown && state !== State.Terminated) {
        const text = labelOf(scene, row, state, slices.cause[i] ?? 0, slices.detail[i] ?? -1);
        write(brush, scene, text, left, wide, y);
      }
    }
  }
}

/** Labels an interval with the process on a CPU, the wait of a task or the holder of a lock. */
export function labelOf(
  scene: Scene,
  row: Row,
  state: number,
  cause: number,
  detail: number,
): string {
  const name = scene.about.states[state] ?? "";
  const other = detail >= 0 ? scene.rows.named(detail) : "";
  if (row.kind === "cpu") return other || name;
  if (state === State.Waiting) {
    const why = scene.about.causes[cause] ?? "";
    return [name, why && `(${why})`, other].filter(Boolean).join(" ");
  }
  if (state === State.Polling) return other ? `polling for ${other}` : name;
  if (row.kind === "semaphore" && state === State.Overfull) return "awaited";
  if (row.kind === "lock") return other ? `${other} has it` : name;
  return name;
}

function write(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  text: string,
  left: number,
  wide: number,
  y: number,
): void {
  const from = Math.max(left, 0);
  const room = Math.floor((left + wide - from - 6) / LABEL_ROOM);
  if (room < 2) return;
  const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
  brush.fillStyle = scene.theme.colour("label");
  brush.fillText(shown, from + 3, y + ROW_HEIGHT / 2);
}

function paint(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  kind: string,
  state: number,
  blocked: boolean,
  left: number,
  wide: number,
  y: number,
): void {
  const look = lookOf(state, kind, blocked);
  if (!look) return;
  const room = ROW_HEIGHT - 2 * INSET;
  const tall = Math.max(room * look.height, 2);
  const hatch = look.hatched ? scene.theme.hatch(brush, look.colour) : null;
  brush.fillStyle = hatch ?? scene.theme.colour(look.colour);
  brush.fillRect(left, y + INSET + room - tall, wide, tall);
}

function drawTile(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  row: Row,
  known: Known,
  tile: Tile,
  y: number,
  width: number,
): void {
  const { window } = scene;
  const size = (known.end - known.begin) / known.pixels;
  const from = Math.max(Math.floor((window.begin - known.begin) / size), 0);
  const to = Math.min(Math.ceil((window.end - known.begin) / size), known.pixels);
  const wide = Math.max((size / window.range) * width, 1);
  if (row.kind === "counter" && tile.low && tile.high) {
    drawBand(brush, scene, known, tile.low, tile.high, y, width);
    return;
  }
  const order = ORDER.map((state) => tile.states.indexOf(state)).filter((place) => place >= 0);
  const room = ROW_HEIGHT - 2 * INSET;
  // State by state, because a change of colour costs more than a bar.
  for (const place of order.reverse()) {
    const state = tile.states[place] ?? 0;
    const look = lookOf(state, row.kind, false);
    if (!look) continue;
    const hatch = look.hatched ? scene.theme.hatch(brush, look.colour) : null;
    brush.fillStyle = hatch ?? scene.theme.colour(look.colour);
    const shares = tile.shares[place];
    const counts = tile.counts[place];
    // Draw neighbouring pixels of equal height as one bar.
    let since = from;
    let before = 0;
    for (let pixel = from; pixel <= to; pixel++) {
      const share = state === State.Point ? 255 : (shares?.[pixel] ?? 0);
      const isThere =
        pixel < to && (state === State.Point ? counts?.[pixel] : share || counts?.[pixel]);
      // Intervals that begin here but take no time get a mark of two pixels.
      const tall = isThere ? Math.max(Math.round((room * look.height * share) / 255), 2) : 0;
      if (tall === before) continue;
      if (before) {
        const left = xOf(window, width, known.begin + since * size);
        brush.fillRect(left, y + INSET + room - before, wide * (pixel - since), before);
      }
      since = pixel;
      before = tall;
    }
  }
}

function drawSteps(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  slices: Slices,
  y: number,
  width: number,
): void {
  const values = slices.detail.map((value) => value >>> 0);
  const most = Math.max(1, ...values.filter((_, i) => slices.state[i] === State.Point));
  const room = ROW_HEIGHT - 2 * INSET;
  brush.fillStyle = scene.theme.colour("point");
  values.forEach((value, i) => {
    if (slices.state[i] !== State.Point) return;
    const left = xOf(scene.window, width, slices.begin[i] ?? 0);
    const right = xOf(scene.window, width, slices.end[i] ?? 0);
    const tall = Math.max((room * value) / most, 1);
    brush.fillRect(left, y + INSET + room - tall, Math.max(right - left, 1), tall);
    if (right - left > 40) write(brush, scene, String(value), left, right - left, y);
  });
}

function drawBand(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  known: Known,
  low: readonly number[],
  high: readonly number[],
  y: number,
  width: number,
): void {
  const most = Math.max(1, ...high);
  const room = ROW_HEIGHT - 2 * INSET;
  const size = (known.end - known.begin) / known.pixels;
  brush.fillStyle = scene.theme.colour("point");
  high.forEach((value, pixel) => {
    if (value < 0) return;
    const left = xOf(scene.window, width, known.begin + pixel * size);
    const top = (room * value) / most;
    const bottom = (room * Math.max(low[pixel] ?? 0, 0)) / most;
    brush.fillRect(left, y + INSET + room - top, 1.5, Math.max(top - bottom, 1));
  });
}

function drawLosses(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  band: Band,
): void {
  const { window, theme } = scene;
  const { top, height, withText } = band;
  let free = -Infinity;
  for (const loss of scene.tiles.allLosses) {
    if (loss.run !== band.run || loss.end < window.begin || loss.begin > window.end) continue;
    const isNone = loss.reason === UNREAD || loss.reason === OUTSIDE;
    const left = xOf(window, width, loss.begin);
    const wide = Math.max(xOf(window, width, loss.end) - left, 3);
    brush.fillStyle = theme.hatch(brush, isNone ? "unread" : "loss");
    brush.fillRect(left, top, wide, height);
    if (withText) {
      const text = lossText(loss);
      const at = Math.max(left, 0) + 4;
      if (at < free) continue;
      const size = brush.measureText(text).width;
      if (isNone && size + 8 > wide) continue;
      brush.fillStyle = theme.colour("paper");
      brush.fillRect(at - 2, top + 1, size + 4, height - 2);
      brush.fillStyle = theme.colour(isNone ? "muted" : "lost-text");
      brush.fillText(text, at, top + height / 2);
      free = at + size + 8;
    }
  }
}

export function lossText(loss: { count: number; reason: string }): string {
  if (loss.reason === UNREAD) return `${loss.count} records ${loss.reason}`;
  return loss.count ? `${loss.count} records missing: ${loss.reason}` : loss.reason;
}

function drawMarks(
  brush: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  height: number,
): void {
  const { window, theme } = scene;
  const range = window.marked;
  if (range) {
    const left = xOf(window, width, range[0]);
    brush.fillStyle = theme.colour("range");
    brush.fillRect(left, 0, xOf(window, width, range[1]) - left, height);
  }
  const line = (time: number, colour: string): void => {
    brush.fillStyle = theme.colour(colour);
    brush.fillRect(Math.round(xOf(window, width, time)), 0, 1.5, height);
  };
  for (const one of scene.about.bookmarks) line(one.time, "point");
  for (const mark of window.marks) line(mark, "mark");
  line(window.cursor, "cursor");
}

export function when(scene: Scene, time: number): string {
  return clock(scene.about.segments, time);
}
