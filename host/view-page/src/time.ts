import type { Segment } from "./types";

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** Formats a span of time with a suitable unit, exact below a microsecond. */
export function span(ns: number): string {
  const size = Math.abs(ns);
  for (const [length, unit] of UNITS) {
    if (size >= length || length === 1) {
      const text = (ns / length).toFixed(length === 1 ? 0 : 3);
      return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${unit}`;
    }
  }
  return "0 ns";
}

/** Returns the boot of a time: the last one that began before it. */
export function segmentAt(segments: readonly Segment[], time: number): Segment | undefined {
  let found = segments[0];
  for (const one of segments) {
    if (one.begin <= time && (!found || one.begin >= found.begin)) found = one;
  }
  return found;
}

/** Formats a time as `print` does: seconds of the clock of its boot. */
export function clock(segments: readonly Segment[], time: number): string {
  const segment = segmentAt(segments, time);
  const ns = Math.round(time - (segment?.offset ?? 0));
  const size = Math.abs(ns);
  const whole = Math.floor(size / 1e9);
  const text = `${ns < 0 ? "-" : ""}${whole}.${String(size - whole * 1e9).padStart(9, "0")}`;
  return segments.length > 1 && segment ? `boot ${segment.epoch}  ${text}` : text;
}

/** Returns the distance between marks of an axis: 1, 2 or 5 times a power of ten. */
export function step(range: number, most: number): number {
  const rough = Math.max(range / most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough) return factor * power;
  return 10 * power;
}
