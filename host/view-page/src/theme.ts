import { State } from "./types";

/** The colours of the page's style sheet, for the canvas. */
export class Theme {
  private style = getComputedStyle(document.documentElement);
  private readonly hatches = new Map<string, CanvasPattern>();
  private readonly colours = new Map<string, string>();

  /** Reads the style sheet again: the user may have changed from light to dark. */
  refresh(): void {
    this.style = getComputedStyle(document.documentElement);
    this.hatches.clear();
    this.colours.clear();
  }

  colour(name: string): string {
    let found = this.colours.get(name);
    if (found === undefined) {
      found = this.style.getPropertyValue(`--${name}`).trim() || "#888";
      this.colours.set(name, found);
    }
    return found;
  }

  /** Returns stripes of a colour, for unknown time and waits for a lock. */
  hatch(context: CanvasRenderingContext2D, name: string): CanvasPattern | string {
    const known = this.hatches.get(name);
    if (known) return known;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const brush = tile.getContext("2d");
    if (!brush) return this.colour(name);
    brush.strokeStyle = this.colour(name);
    brush.lineWidth = 2;
    brush.beginPath();
    for (const x of [-4, 4, 12]) {
      brush.moveTo(x - 4, 12);
      brush.lineTo(x + 8, 0);
    }
    brush.stroke();
    const pattern = context.createPattern(tile, "repeat");
    if (pattern) this.hatches.set(name, pattern);
    return pattern ?? this.colour(name);
  }
}

/** The look of a state: colour, share of the row's height, and whether hatched. */
export interface Look {
  readonly colour: string;
  readonly height: number;
  readonly hatched?: boolean;
}

const LOOKS: Readonly<Record<number, Look>> = {
  [State.Unknown]: { colour: "unknown", height: 1, hatched: true },
  [State.Active]: { colour: "ready", height: 0.35 },
  [State.Running]: { colour: "running", height: 1 },
  [State.Ready]: { colour: "ready", height: 0.35 },
  [State.Waiting]: { colour: "waiting", height: 0.2 },
  [State.Suspended]: { colour: "suspended", height: 0.35 },
  [State.Free]: { colour: "idle", height: 0.2 },
  [State.Used]: { colour: "held", height: 0.6 },
  [State.Full]: { colour: "held", height: 0.8 },
  [State.Overfull]: { colour: "blocked", height: 0.8, hatched: true },
  [State.Polling]: { colour: "running", height: 1, hatched: true },
  [State.Parking]: { colour: "ready", height: 0.35, hatched: true },
  [State.Kernel]: { colour: "kernel", height: 0.7 },
  [State.Interrupt]: { colour: "interrupt", height: 1 },
  [State.Point]: { colour: "point", height: 0.9 },
};
const BLOCKED: Look = { colour: "blocked", height: 0.5, hatched: true };

const AWAITED: Look = { colour: "waiting", height: 0.35 };

/** Returns the look of a state; undefined for a process that does not exist. */
export function lookOf(state: number, kind: string, blocked: boolean): Look | undefined {
  if (kind === "semaphore" && state === State.Overfull) return AWAITED;
  return blocked ? BLOCKED : LOOKS[state];
}
