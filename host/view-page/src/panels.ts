import type { Scene } from "./draw";
import { lossText, when } from "./draw";
import type { Row, Stats, TapeEvent } from "./types";
import { State } from "./types";
import { span } from "./time";

/** Finds an element of the page. */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

/** Makes an element; inserts text of a tape as text, never as HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text: string,
  ...inside: Node[]
): HTMLElementTagNameMap[K] {
  const found = document.createElement(tag);
  found.textContent = text;
  found.append(...inside);
  return found;
}

/** Shows events; marks the first one at or after the cursor. */
export function showEvents(
  list: HTMLElement,
  scene: Scene,
  events: readonly TapeEvent[],
  jump: (time: number) => void,
): void {
  const at = events.findIndex((event) => event.time >= scene.window.cursor);
  list.replaceChildren(
    ...events.map((event, place) => {
      const line = make("li", "");
      const button = make("button", when(scene, event.time));
      button.type = "button";
      button.addEventListener("click", () => {
        jump(event.time);
      });
      line.append(button, make("span", event.text));
      if (place === at) line.setAttribute("aria-current", "true");
      return line;
    }),
  );
  list.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "center" });
}

/** Returns the prefix of a text about one of two runs; empty for a single tape. */
function labelOf(scene: Scene, run: number | undefined): string {
  const label = scene.about.runs?.[run ?? -1]?.label;
  return label === undefined ? "" : `${label}: `;
}

function nameOf(scene: Scene, row: Row): string {
  return labelOf(scene, row.run) + row.name;
}

/** Shows the statistics of a range as a table. */
export function showStats(
  body: HTMLElement,
  scene: Scene,
  range: readonly [number, number],
  stats: Stats,
  jump: (time: number, row: number) => void,
): void {
  const total = range[1] - range[0];
  const lines: HTMLElement[] = [];
  const byRow = new Map(stats.rows.map((one) => [one.row, one.states]));
  for (const row of scene.rows.shown) {
    for (const [number, one] of Object.entries(byRow.get(row.row) ?? {})) {
      const state = Number(number);
      if (state === State.Terminated) continue;
      const isPoint = state === State.Point;
      if (isPoint && !one.count) continue;
      const line = make("tr", "");
      const head = make("th", nameOf(scene, row));
      head.scope = "row";
      const longest = make("td", "");
      if (one.most !== undefined) {
        const button = make("button", span(one.most));
        const at = one.most_at ?? range[0];
        button.type = "button";
        button.addEventListener("click", () => {
          jump(at, row.row);
        });
        longest.append(button);
      }
      const hasTime = !isPoint && one.time > 0;
      line.append(
        head,
        make("td", scene.about.states[state] ?? ""),
        make("td", hasTime ? span(one.time) : ""),
        make("td", hasTime ? `${((100 * one.time) / total).toFixed(2)} %` : ""),
        make("td", String(one.count)),
        make("td", one.least === undefined ? "" : span(one.least)),
        longest,
      );
      lines.push(line);
    }
  }
  body.replaceChildren(...lines);
  const lost = stats.losses.map((loss) => [labelOf(scene, loss.run), lossText(loss)].join(""));
  element("stats-losses", HTMLParagraphElement).textContent = lost.length
    ? `Not everything is known: ${lost.slice(0, 3).join("; ")}${lost.length > 3 ? "; …" : ""}`
    : "Nothing is missing in this range.";
}
