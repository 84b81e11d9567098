import { element, make } from "./panels";
import { span } from "./time";
import type { Part, Row, Source, Whys } from "./types";

const LEVEL = 26; // height of a level in pixels, as in the style sheet
const LABELLED = 0.04; // share of the width: a narrower bar has no room for its text
const ALL = "0";
const LONGEST = "1";
const AT_CURSOR = "at";

/** What the panel needs from the page. */
interface Host {
  readonly range: readonly [number, number];
  readonly cursor: number;
  readonly when: (time: number) => string;
  /** Shows a stretch on the timeline. */
  readonly show: (row: number, begin: number, end: number) => void;
}

/** The panel of the causes of a task's waits: nested bars, as wide as their share of the time. */
export class WhyPanel {
  private readonly section = element("why", HTMLElement);
  private readonly what = element("why-what", HTMLSelectElement);
  private readonly bars = element("why-bars", HTMLDivElement);
  private row: Row | undefined;
  private asked = 0;

  constructor(
    private readonly source: Source,
    private readonly host: () => Host,
  ) {
    this.what.addEventListener("change", () => {
      void this.ask();
    });
  }

  close(): void {
    this.section.hidden = true;
  }

  /** Opens with the longest instance in the range, or with the whole range if there is none. */
  async open(row: Row): Promise<void> {
    this.row = row;
    this.section.hidden = false;
    this.section.focus();
    this.what.value = LONGEST;
    if (await this.ask()) return;
    this.what.value = ALL;
    await this.ask();
  }

  /** Returns whether there was an answer. */
  private async ask(): Promise<boolean> {
    const { row, source } = this;
    if (!row || !source.why) return true;
    const asked = ++this.asked;
    const { range, cursor } = this.host();
    const what = this.what.value;
    const isAt = what === AT_CURSOR;
    element("why-title", HTMLHeadingElement).textContent = `Why: ${row.name}`;
    this.say("Reading…");
    this.describe("");
    this.bars.replaceChildren();
    try {
      const [begin, end] = isAt ? [cursor, cursor] : range;
      const found = await source.why(row.row, begin, end, isAt ? 1 : Number(what));
      if (asked === this.asked) this.show(row, found);
      return true;
    } catch (error) {
      if (asked === this.asked) this.say(error instanceof Error ? error.message : String(error));
      return asked !== this.asked;
    }
  }

  private say(text: string): void {
    element("why-text", HTMLParagraphElement).textContent = text;
  }

  private describe(text: string): void {
    element("why-part", HTMLParagraphElement).textContent = text;
  }

  private show(row: Row, found: Whys): void {
    this.say(this.textOf(found));
    const made: HTMLElement[] = [];
    let depth = 0;
    const add = (parts: readonly Part[], left: number, level: number): void => {
      depth = Math.max(depth, level + 1);
      for (const part of parts) {
        const wide = found.ticks ? part.ticks / found.ticks : 0;
        made.push(this.bar(row, part, left, wide, level));
        if (part.parts.length) add(part.parts, left, level + 1);
        left += wide;
      }
    };
    add(found.parts, 0, 0);
    this.bars.replaceChildren(...made);
    this.bars.style.minHeight = `${depth * LEVEL}px`;
  }

  private bar(row: Row, part: Part, left: number, wide: number, level: number): HTMLElement {
    const share = `${(100 * wide).toFixed(1)} %`;
    const text = `${share}, ${span(part.ns)}: ${part.label}`;
    const bar = make("button", wide < LABELLED ? "" : `${share} ${part.label}`);
    bar.type = "button";
    bar.title = text;
    bar.setAttribute("aria-label", text);
    bar.dataset["cause"] = part.cause;
    bar.style.left = `${100 * left}%`;
    bar.style.width = `${100 * wide}%`;
    bar.style.top = `${level * LEVEL}px`;
    const tell = (): void => {
      this.describe(text);
    };
    bar.addEventListener("pointerenter", tell);
    bar.addEventListener("focus", tell);
    bar.addEventListener("click", () => {
      if (part.end > part.begin) this.host().show(row.row, part.begin, part.end);
    });
    return bar;
  }

  private textOf(found: Whys): string {
    const { when } = this.host();
    const [first] = found.instances;
    const many = found.instances.length;
    const cost =
      found.tracing_ns === null ? "" : ` Of it tracing: at most ${span(found.tracing_ns)}.`;
    if (!first) return "";
    const known = first.begin_known ? "activated at" : "known since";
    const open = first.ended ? "" : ", its end is not on the tape";
    if (first.number === null) return `${span(found.ns)} from ${when(first.begin)} on.${cost}`;
    if (many > 1) return `${many} instances, ${span(found.ns)} together.${cost}`;
    return `Instance ${first.number}: ${span(found.ns)}, ${known} ${when(first.begin)}${open}.${cost}`;
  }
}
