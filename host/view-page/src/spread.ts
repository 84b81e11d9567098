import { element, make } from "./panels";
import { span } from "./time";
import type { Bars, Instances, Row, Run, Source, Spread } from "./types";

const BAR_LEAST = 4; // per cent of the height: keeps a bar with one instance visible

/** What the panel needs from the page. */
interface Host {
  readonly rows: readonly Row[];
  readonly runs: readonly Run[];
  readonly range: readonly [number, number];
  readonly when: (time: number) => string;
  /** Shows an instance on the timeline. */
  readonly show: (row: number, begin: number, end: number) => void;
  readonly fail: (error: unknown) => void;
}

/** The panel of a distribution: a histogram whose bars lead to their instances. */
export class SpreadPanel {
  private readonly section = element("spread", HTMLElement);
  private readonly figure = element("spread-figure", HTMLSelectElement);
  private readonly other = element("spread-other", HTMLSelectElement);
  private row: Row | undefined;
  private asked = 0;

  constructor(
    private readonly source: Source,
    private readonly host: () => Host,
  ) {
    this.figure.addEventListener("change", () => {
      void this.ask(this.figure.value, this.other.value);
    });
    this.other.addEventListener("change", () => {
      void this.ask(this.figure.value, this.other.value);
    });
  }

  get isOpen(): boolean {
    return !this.section.hidden;
  }

  close(): void {
    this.section.hidden = true;
  }

  /** Opens with the default figure of a row. */
  async open(row: Row): Promise<void> {
    this.row = row;
    this.section.hidden = false;
    const events = this.host().rows.filter(
      (one) => (one.kind === "user event" && one.run === row.run) || one === row,
    );
    this.other.replaceChildren(
      ...events.map((one) => {
        const option = make("option", one === row ? "the next one" : one.name);
        option.value = String(one.row);
        option.selected = one === row;
        return option;
      }),
    );
    await this.ask("", String(row.row));
    this.section.focus();
  }

  private async ask(figure: string, other: string): Promise<void> {
    const { row } = this;
    if (!row || !this.source.spread) return;
    const asked = ++this.asked;
    const { range } = this.host();
    element("spread-title", HTMLHeadingElement).textContent = `Distribution: ${row.name}`;
    element("spread-text", HTMLParagraphElement).textContent = "Reading…";
    element("spread-bars", HTMLDivElement).replaceChildren();
    element("spread-list", HTMLOListElement).replaceChildren();
    try {
      const found = await this.source.spread(row.row, figure, other, range[0], range[1]);
      if (asked === this.asked) this.show(row, found, range);
    } catch (error) {
      element("spread-text", HTMLParagraphElement).textContent = "";
      this.host().fail(error);
    }
  }

  private show(row: Row, found: Spread, range: readonly [number, number]): void {
    this.figure.replaceChildren(
      ...found.figures.map((name) => {
        const option = make("option", name);
        option.selected = name === found.figure;
        return option;
      }),
    );
    const ofPair = found.figure === "distance";
    element("spread-pair", HTMLLabelElement).hidden = !ofPair;
    const { twin } = found;
    element("spread-text", HTMLParagraphElement).textContent = twin
      ? `${this.label(row.run)}: ${textOf(found)} ${twin.label}: ${textOf(twin)}`
      : textOf(found);
    element("spread-key", HTMLParagraphElement).hidden = !twin;
    element("spread-own", HTMLSpanElement).textContent = this.label(row.run);
    element("spread-twin", HTMLSpanElement).textContent = twin?.label ?? "";
    const all = [...found.counts, ...(twin?.counts ?? [])];
    const own = { row: row.row, other: this.other.value, label: "", isTwin: false };
    const groups = [{ ...own, counts: found.counts }];
    if (twin) {
      const other = { row: twin.row, other: String(twin.other), counts: twin.counts };
      groups[0] = { ...own, counts: found.counts, label: `, ${this.label(row.run)}` };
      groups.push({ ...other, label: `, ${twin.label}`, isTwin: true });
    }
    const most = Math.max(1, ...all);
    const bars: HTMLElement[] = [];
    for (let place = 0; place + 1 < found.edges.length; place++) {
      const [from, to] = [found.edges[place] ?? 0, (found.edges[place + 1] ?? 1) - 1];
      for (const group of groups) {
        const count = group.counts[place] ?? 0;
        if (!count) {
          bars.push(make("span", ""));
          continue;
        }
        const bar = make("button", "");
        bar.type = "button";
        bar.title = `${count} of ${span(from)} to ${span(to)}${group.label}`;
        bar.setAttribute("aria-label", bar.title);
        bar.style.height = `${BAR_LEAST + ((100 - BAR_LEAST) * count) / most}%`;
        bar.classList.toggle("twin", group.isTwin);
        bar.addEventListener("click", () => {
          void this.list(group, found.figure, [from, to], range, bar);
        });
        bars.push(bar);
      }
    }
    element("spread-bars", HTMLDivElement).replaceChildren(...bars);
    const least = Math.min(...[found.least, twin?.least].filter((one) => one !== undefined));
    const longest = Math.max(...[found.most, twin?.most].filter((one) => one !== undefined));
    const ends = Number.isFinite(least) ? [span(least), span(longest)] : ["", ""];
    element("spread-least", HTMLSpanElement).textContent = ends[0] ?? "";
    element("spread-most", HTMLSpanElement).textContent = ends[1] ?? "";
  }

  /** Lists the instances of a bar, the longest first, and shows that one. */
  private async list(
    of: { readonly row: number; readonly other: string },
    figure: string,
    values: readonly [number, number],
    range: readonly [number, number],
    bar: HTMLElement,
  ): Promise<void> {
    const { row, other } = of;
    for (const one of bar.parentElement?.children ?? [])
      one.classList.toggle("chosen", one === bar);
    try {
      const found = await this.source.instances?.(row, figure, other, range, ...values);
      if (!found?.value.length) return;
      const { show } = this.host();
      element("spread-list", HTMLOListElement).replaceChildren(
        ...found.value.map((value, place) => this.line(row, found, value, place)),
      );
      show(row, found.begin[0] ?? 0, found.end[0] ?? 0);
    } catch (error) {
      this.host().fail(error);
    }
  }

  private label(run: number | undefined): string {
    return this.host().runs[run ?? 0]?.label ?? "";
  }

  private line(row: number, found: Instances, value: number, place: number): HTMLLIElement {
    const { show, when } = this.host();
    const [begin, end] = [found.begin[place] ?? 0, found.end[place] ?? 0];
    const button = make("button", span(value));
    button.type = "button";
    button.addEventListener("click", () => {
      show(row, begin, end);
    });
    const line = make("li", "");
    line.append(button, make("span", `at ${when(begin)}`));
    return line;
  }
}

function textOf(found: Bars): string {
  const left = found.left_out
    ? ` ${found.left_out} more are left out: unknown time touches them, or they are not over.`
    : "";
  if (!found.count) return `Nothing in this range has this figure.${left}`;
  const figures = [
    `median ${span(found.median ?? 0)}`,
    `95 % ${span(found.p95 ?? 0)}`,
    `99 % ${span(found.p99 ?? 0)}`,
  ];
  return `${found.count} values: ${figures.join(", ")}.${left}`;
}
