import { ArrowLayer, arrowText } from "./arrows";
import { drawAxis, drawRows, labelOf, type Scene, when } from "./draw";
import { FileSource } from "./file";
import { FindingsPanel } from "./findings";
import { InstanceLayer } from "./instances";
import { LiveLine } from "./live";
import { element, make, showEvents, showStats } from "./panels";
import { Rows, ROW_HEIGHT } from "./rows";
import { OutdatedError, ServerSource } from "./server";
import { SpreadPanel } from "./spread";
import { Theme } from "./theme";
import { Tiles } from "./tiles";
import { span } from "./time";
import type { About, News, Row, Run, Source, TileRow } from "./types";
import { State } from "./types";
import { WhyPanel } from "./why";
import { Window } from "./window";

const LIST = 40; // listed events before the cursor, and after it
const AXIS_HEIGHT = 44;
const POLL_MS = 250;
const SPREADING = new Set([
  "task",
  "interrupt",
  "lock",
  "semaphore",
  "user event",
  "inheritance",
  "stimulus",
  "channel",
]);
const LOCK_CAUSES = /MUTEX|LOCK/;

/** The page: owns the state, draws at most once per frame, and handles keys. */
class Page {
  private readonly window: Window;
  private readonly rows: Rows;
  private readonly tiles: Tiles;
  private readonly theme = new Theme();
  private readonly locks: ReadonlySet<number>;
  private readonly chart = element("chart", HTMLCanvasElement);
  private readonly axis = element("axis", HTMLCanvasElement);
  private readonly scroller = element("scroller", HTMLDivElement);
  private readonly labels = element("labels", HTMLUListElement);
  private readonly search = element("search", HTMLInputElement);
  private readonly status = element("status", HTMLParagraphElement);
  private readonly spread: SpreadPanel;
  private readonly findings: FindingsPanel;
  private readonly whys: WhyPanel;
  private readonly arrows: ArrowLayer;
  private readonly instances: InstanceLayer;
  /** Row, time and direction of the last arrow with an unknown end: the next step skips it. */
  private passed = "";
  private selected = 0;
  /** Kind and name of the row in the address, until such a row exists. */
  private wanted = "";
  private frame = 0;
  private listed = -1;
  private listTimer = 0;
  private query = "";
  /** Whether the window follows the end of a growing tape. */
  private following = false;

  constructor(
    private readonly source: Source,
    private about: About,
  ) {
    this.window = new Window(about.begin, about.end);
    this.rows = new Rows(about.rows);
    this.selected = this.rows.shown[0]?.row ?? -1;
    this.takeAddress();
    const causes = Object.entries(about.causes).filter(([, name]) => LOCK_CAUSES.test(name));
    this.locks = new Set(causes.map(([number]) => Number(number)));
    const fail = (error: unknown): void => {
      if (error instanceof OutdatedError) return;
      this.say(`No answer: ${error instanceof Error ? error.message : String(error)}`);
    };
    this.tiles = new Tiles(source, this.window.whole, this.redraw, fail);
    this.arrows = new ArrowLayer(source, this.redraw, fail);
    this.instances = new InstanceLayer(source, this.redraw, fail);
    this.whys = new WhyPanel(source, () => ({
      range: this.window.marked ?? [this.window.begin, this.window.end],
      cursor: this.window.cursor,
      when: (time) => when(this.scene, time),
      show: (row, begin, end) => {
        this.showInstance(row, begin, end);
      },
    }));
    this.spread = new SpreadPanel(source, () => ({
      rows: this.about.rows,
      runs: this.about.runs ?? [],
      range: this.window.marked ?? this.window.whole,
      when: (time) => when(this.scene, time),
      show: (row, begin, end) => {
        this.showInstance(row, begin, end);
      },
      fail,
    }));
    this.findings = new FindingsPanel(source, () => ({
      when: (time) => when(this.scene, time),
      show: ({ row, begin, end }) => {
        const place = row < 0 ? this.selected : row;
        if (end > begin) this.showInstance(place, begin, end);
        else this.go(begin, place);
      },
    }));
    document.title = `${about.name} – tickertape`;
    element("title", HTMLHeadingElement).textContent = about.name;
    const summary = element("summary", HTMLParagraphElement);
    summary.textContent = this.summary(about);
    summary.classList.toggle("wide", about.runs !== undefined);
    this.listen();
    this.showLabels();
    this.follows(Boolean(about.live) && location.hash === "");
    this.changed();
    document.body.dataset["ready"] = "true";
    if (about.live) this.live(about.live);
    else void this.watch();
  }

  /** The fragment with the current window, cursor, marks and selected row. */
  private get address(): string {
    const row = this.about.rows[this.selected];
    const name = this.wanted || (row ? `${row.kind}:${row.name}` : "");
    return this.window.hash + (name ? `&row=${encodeURIComponent(name)}` : "");
  }

  private takeAddress(): void {
    this.window.hash = location.hash;
    this.wanted = new URLSearchParams(location.hash.replace(/^#/, "")).get("row") ?? "";
    this.takeRow();
  }

  private takeRow(): void {
    const row = this.rows.called(this.wanted);
    if (row === undefined) return;
    this.selected = row;
    this.wanted = "";
  }

  /** Polls the progress of the index while a sample is shown, then shows the index. */
  private async watch(): Promise<void> {
    const summary = element("summary", HTMLParagraphElement);
    while (this.about.complete === false && this.source.progress) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      try {
        const progress = await this.source.progress();
        if (progress.complete) this.replace(await this.source.about());
        else if (progress.error) {
          summary.textContent = `Only a sample is shown: ${progress.error}`;
          return;
        } else summary.textContent = this.summary({ ...this.about, ...progress });
      } catch (error) {
        this.say(`The server is gone: ${String(error)}`);
        return;
      }
    }
    document.body.dataset["complete"] = "true";
  }

  /** Shows one index after another while the tape grows. */
  private live(news: News): void {
    new LiveLine(this.source, news, {
      renew: async () => {
        this.replace(await this.source.about());
      },
      say: (text) => {
        this.say(text);
      },
    });
    element("live-follow", HTMLButtonElement).hidden = false;
  }

  private follows(on: boolean): void {
    this.following = on;
    if (on) this.window.toEnd();
    element("live-follow", HTMLButtonElement).setAttribute("aria-pressed", String(on));
  }

  /** Shows another index of the same tape; window, cursor and chosen row stay. */
  private replace(about: About): void {
    const isLive = Boolean(about.live);
    const isSame = JSON.stringify(about.rows) === JSON.stringify(this.about.rows);
    this.about = about;
    this.selected = this.rows.replace(about.rows, this.selected);
    this.takeRow();
    this.window.reach(about.begin, about.end, isLive && !this.following);
    if (this.following) this.window.toEnd();
    this.tiles.restart(this.window.whole);
    this.arrows.restart();
    this.instances.restart();
    delete document.body.dataset["drawn"];
    element("summary", HTMLParagraphElement).textContent = this.summary(about);
    if (!isSame) this.showLabels();
    // Not while the tape grows: their range is unchanged, and they would take the focus each time.
    if (!isLive && !element("stats", HTMLElement).hidden) void this.statistics();
    if (!isLive && this.spread.isOpen) void this.distribution();
    if (!isLive || this.following) this.listed = -1;
    this.renewed();
  }

  private summary(about: About): string {
    if (about.complete === false) {
      const share = about.total ? Math.floor((100 * (about.read ?? 0)) / about.total) : 0;
      return `A sample of ${about.events} of ${about.total} records: grey bands are not read yet. Reading the tape: ${share} %.`;
    }
    const damage = about.issues.length ? ` Damaged: ${about.issues[0] ?? ""}.` : "";
    const lost = about.loss_count
      ? `${about.lost} records missing in ${about.loss_count} places`
      : "no record missing";
    const pauses = about.pause_count ? `, ${about.pause_count} pauses of recording` : "";
    if (about.runs) {
      const runs = about.runs.map((run) => `${run.label}: ${run.events} events, ${balance(run)}.`);
      const doubts = about.doubts?.map((doubt) => ` Uncertain: ${doubt}.`).join("") ?? "";
      return `${runs.join(" ")} Times from ${about.aligned ?? ""}.${doubts}${damage}`;
    }
    const part =
      about.part_of === undefined
        ? ""
        : ` A part of a tape with ${about.part_of} events: ${span(about.end - about.begin)} from ${(about.begin / 1e9).toFixed(9)} s on.`;
    const rate = about.segments.every((one) => one.known_rate)
      ? ""
      : " The clock rate is unknown: a tick is shown as 1 ns.";
    return `${about.events} events, ${about.rows.length} rows, ${lost}${pauses}.${part}${rate}${damage}`;
  }

  private get scene(): Scene {
    const { about, window, rows, tiles, theme, selected, locks } = this;
    return { about, window, rows, tiles, theme, selected, locks };
  }

  private readonly redraw = (): void => {
    if (!this.frame) this.frame = requestAnimationFrame(this.draw);
  };

  private readonly draw = (): void => {
    this.frame = 0;
    const width = this.axis.clientWidth;
    const height = this.scroller.clientHeight;
    if (!width || !height) return;
    const top = this.scroller.scrollTop;
    const shown = this.rows.shown.slice(
      Math.floor(top / ROW_HEIGHT),
      Math.ceil((top + height) / ROW_HEIGHT),
    );
    this.tiles.want(
      this.window.begin,
      this.window.end,
      Math.min(Math.round(width / 2), 1900), // a bar of two pixels is visible, and drawn faster
      shown.map((row) => row.row),
    );
    this.readout();
    // The old picture stays until the first rows of a new index have arrived.
    if (this.about.live && this.tiles.isRenewing) return;
    const rowsBrush = sized(this.chart, width, height);
    const axisBrush = sized(this.axis, width, AXIS_HEIGHT);
    if (rowsBrush) {
      drawRows(rowsBrush, this.scene, width, height, top);
      this.instances.draw(rowsBrush, this.scene, { width, height, top });
      this.arrows.draw(rowsBrush, this.scene, { width, height, top });
    }
    if (axisBrush) drawAxis(axisBrush, this.scene, width, AXIS_HEIGHT);
    if (shown.some((row) => this.tiles.of(row.row))) document.body.dataset["drawn"] = "true";
  };

  /** Handles a change by the user: a window elsewhere no longer follows the end. */
  private changed(): void {
    if (this.following && !this.window.isAtEnd) this.follows(false);
    this.renewed();
  }

  /** Redraws, and updates the address and the list of events. */
  private renewed(): void {
    this.redraw();
    clearTimeout(this.listTimer);
    this.listTimer = window.setTimeout(() => {
      history.replaceState(null, "", this.address);
      void this.list();
    }, 120);
  }

  private async list(): Promise<void> {
    const at = this.window.cursor;
    if (at === this.listed) return;
    this.listed = at;
    try {
      const events = await this.source.events(at, LIST, LIST);
      const jump = (time: number): void => {
        this.go(time);
      };
      if (at === this.window.cursor) {
        showEvents(element("events", HTMLOListElement), this.scene, events, jump);
      }
    } catch (error) {
      if (!(error instanceof OutdatedError)) this.say(String(error));
      this.listed = -1;
    }
  }

  private readout(): void {
    const { window } = this;
    const range = window.marked;
    const parts = [`at ${when(this.scene, window.cursor)}`, `showing ${span(window.range)}`];
    if (range) parts.push(`between the marks ${span(range[1] - range[0])}`);
    const row = this.about.rows[this.selected];
    const state = row && this.stateAt(row, this.tiles.of(row.row)?.row);
    if (state) parts.push(state);
    const instances = this.instances.text(this.scene);
    if (instances) parts.push(instances);
    const arrows = this.arrows.text(this.scene);
    if (arrows) parts.push(arrows);
    const text = parts.join(" · ");
    const readout = element("readout", HTMLParagraphElement);
    if (readout.textContent !== text) readout.textContent = text;
  }

  /** Describes the interval of a row at the cursor. */
  private stateAt(row: Row, tile: TileRow | undefined): string {
    const slices = tile?.slices;
    if (!slices) return "";
    const at = this.window.cursor;
    for (let i = slices.begin.length - 1; i >= 0; i--) {
      const [begin, end] = [slices.begin[i] ?? 0, slices.end[i] ?? 0];
      if (begin > at || end <= at) continue;
      const state = slices.state[i] ?? 0;
      if (state === State.Point) return row.name;
      const label = labelOf(this.scene, row, state, slices.cause[i] ?? 0, slices.detail[i] ?? -1);
      return `${row.name}: ${label} for ${span(end - begin)}`;
    }
    return "";
  }

  private say(text: string): void {
    this.status.textContent = text;
  }

  private go(time: number, row?: number): void {
    this.window.moveCursor(time);
    this.window.follow();
    if (row !== undefined) this.select(row);
    this.changed();
  }

  private select(row: number): void {
    if (row !== this.selected) this.wanted = "";
    this.selected = row;
    const place = this.rows.shown.findIndex((one) => one.row === row);
    if (place < 0) return;
    const top = place * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    if (top + ROW_HEIGHT > scrollTop + clientHeight) {
      this.scroller.scrollTop = top + ROW_HEIGHT - clientHeight;
    }
    for (const line of this.labels.children) {
      line.classList.toggle("chosen", line.getAttribute("data-row") === String(row));
    }
    this.redraw();
  }

  private showLabels(): void {
    this.labels.replaceChildren(
      ...this.rows.shown.map((row) => {
        const line = make("li", "");
        line.dataset["row"] = String(row.row);
        const name = make("button", row.name);
        name.type = "button";
        name.title = [row.kind, row.board, row.name].filter(Boolean).join(" ");
        name.addEventListener("click", () => {
          this.select(row.row);
          this.chart.focus();
        });
        const kind = make("span", row.priority === undefined ? row.kind : `prio ${row.priority}`);
        kind.className = "kind";
        line.append(name, kind);
        if (row.kind === "run") line.classList.add("run");
        if (this.rows.pinned.has(row.row)) line.classList.add("pinned");
        return line;
      }),
    );
    element("tracks", HTMLDivElement).style.height = `${this.rows.shown.length * ROW_HEIGHT}px`;
    this.select(this.selected);
  }

  private async find(back: boolean): Promise<void> {
    if (!this.query) {
      this.say("Type a name to search for first: press /");
      return;
    }
    const found = await this.source.find(this.query, this.window.cursor, back);
    if (!found.found) {
      const what = found.rows.length ? `no more of “${this.query}”` : `no row “${this.query}”`;
      this.say(`There is ${what} ${back ? "before" : "after"} the cursor.`);
      return;
    }
    for (const row of found.rows) this.rows.hidden.delete(row);
    this.rows.arrange();
    this.showLabels();
    this.go(found.found.time, found.found.row);
    this.say(`${this.rows.named(found.found.row)} at ${when(this.scene, found.found.time)}`);
  }

  /** Goes to the other end of the next arrow of the chosen row. */
  private async follow(back: boolean): Promise<void> {
    const [row, at] = [this.selected, this.window.cursor];
    const here = `${row} ${at} ${back}`;
    const past = this.passed === here ? (back ? -1 : 1) : 0;
    const [first, last] = this.window.whole;
    const when = Math.min(Math.max(at + past, first), last);
    const arrow = await this.source.follow(row, when, back);
    if (!arrow) {
      const where = back ? "arrives here before" : "leaves here after";
      this.say(`No arrow of ${this.rows.named(row)} ${where} the cursor.`);
      return;
    }
    this.say(arrowText(this.scene, arrow));
    const passes = arrow.via === row;
    const other = passes ? row : back ? arrow.from : arrow.to;
    const time = passes || back ? arrow.begin : arrow.end;
    this.passed = "";
    if (other < 0) {
      this.passed = `${row} ${time} ${back}`;
      this.say(`${arrowText(this.scene, arrow)}: this end is not on the tape.`);
    } else if (this.rows.hidden.delete(other)) {
      this.rows.arrange();
      this.showLabels();
    }
    this.go(time, other < 0 ? row : other);
  }

  private async distribution(): Promise<void> {
    const row = this.about.rows[this.selected];
    if (!row) return;
    if (!this.source.spread) {
      this.say("A file has no distributions: view its tape.");
    } else if (!SPREADING.has(row.kind)) {
      this.say(`${row.name} has no distribution: choose a task, an interrupt, a lock or an event.`);
    } else {
      this.closePanels();
      await this.spread.open(row);
    }
  }

  /** Shows an instance with a fifth of its length on both sides; sets the cursor to its begin. */
  private showInstance(row: number, begin: number, end: number): void {
    const margin = Math.max((end - begin) / 5, 5);
    this.window.show(begin - margin, end + margin);
    this.window.moveCursor(begin);
    this.rows.hidden.delete(row);
    this.rows.arrange();
    this.showLabels();
    this.select(row);
    this.changed();
  }

  private closePanels(): void {
    element("stats", HTMLElement).hidden = true;
    this.spread.close();
    this.findings.close();
    this.whys.close();
  }

  private async why(): Promise<void> {
    const row = this.about.rows[this.selected];
    if (!this.source.why) {
      this.say("A file explains no task: view its tape.");
    } else if (row?.kind !== "task") {
      this.say("Choose the row of a task to see who let it wait.");
    } else {
      this.closePanels();
      await this.whys.open(row);
    }
  }

  private async statistics(): Promise<void> {
    this.closePanels();
    const range = this.window.marked ?? [this.window.begin, this.window.end];
    const stats = await this.source.stats(range[0], range[1]);
    const jump = (time: number, row: number): void => {
      this.go(time, row);
    };
    const section = element("stats", HTMLElement);
    section.hidden = false;
    element("stats-range", HTMLParagraphElement).textContent =
      `${when(this.scene, range[0])} to ${when(this.scene, range[1])}, ${span(range[1] - range[0])}`;
    showStats(element("stats-body", HTMLTableSectionElement), this.scene, range, stats, jump);
    this.redraw();
    section.focus();
  }

  private step(row: number, back: boolean): void {
    const slices = this.tiles.of(row)?.row.slices;
    const at = this.window.cursor;
    const times = slices?.begin ?? [];
    const next = back
      ? Math.max(...times.filter((time) => time < at), -1)
      : Math.min(...times.filter((time) => time > at), Infinity);
    if (next >= 0 && Number.isFinite(next)) this.go(next);
    else this.go(at + (back ? -1 : 1) * Math.max(1, this.window.range / 100));
  }

  private readonly actions: Record<string, (big: boolean) => void> = {
    ArrowLeft: (big) => {
      this.window.pan(big ? -0.5 : -0.1);
    },
    ArrowRight: (big) => {
      this.window.pan(big ? 0.5 : 0.1);
    },
    ArrowUp: () => {
      this.neighbour(-1);
    },
    ArrowDown: () => {
      this.neighbour(1);
    },
    "+": () => {
      this.window.zoom(0.5, this.centre());
    },
    "-": () => {
      this.window.zoom(2, this.centre());
    },
    "0": () => {
      this.window.show(...this.window.whole);
    },
    ",": () => {
      this.step(this.selected, true);
    },
    ".": () => {
      this.step(this.selected, false);
    },
    n: () => {
      void this.find(false);
    },
    N: () => {
      void this.find(true);
    },
    m: () => {
      this.window.mark();
      this.say(`Marked ${when(this.scene, this.window.cursor)}`);
    },
    z: () => {
      if (this.window.marked) this.window.show(...this.window.marked);
    },
    r: () => {
      void this.statistics();
    },
    d: () => {
      void this.distribution();
    },
    g: () => {
      this.closePanels();
      void this.findings.open();
    },
    w: () => {
      void this.why();
    },
    i: () => {
      if (!this.source.instances) this.say("A file has no instances: view its tape.");
      else
        this.say(`Instances of the chosen row are ${this.instances.toggle() ? "" : "not "}marked.`);
    },
    a: () => {
      this.say(`Arrows ${this.arrows.next()}.`);
    },
    f: () => {
      void this.follow(false);
    },
    F: () => {
      void this.follow(true);
    },
    h: () => {
      this.rows.toggle(this.rows.hidden, this.selected);
      this.showLabels();
    },
    H: () => {
      this.rows.hidden.clear();
      this.rows.arrange();
      this.showLabels();
    },
    p: () => {
      this.rows.toggle(this.rows.pinned, this.selected);
      this.showLabels();
    },
    t: () => {
      this.say(`Rows are sorted by ${this.rows.nextSort()}.`);
      this.showLabels();
    },
    b: () => {
      this.askBookmark();
    },
    B: () => {
      this.nextBookmark();
    },
    l: () => {
      if (this.about.live) this.follows(!this.following);
      else this.say("The tape does not grow.");
    },
    "?": () => {
      element("help", HTMLDialogElement).showModal();
    },
    Escape: () => {
      this.window.marks = [];
      this.closePanels();
      this.redraw();
    },
    "/": () => {
      this.search.focus();
      this.search.select();
    },
  };

  private askBookmark(): void {
    if (!this.source.bookmark || this.about.no_bookmarks) {
      this.say(`No bookmark can be added: ${this.about.no_bookmarks}.`);
      return;
    }
    const input = element("bookmark-text", HTMLInputElement);
    input.value = "";
    element("bookmark", HTMLDialogElement).showModal();
    input.focus();
  }

  private async addBookmark(text: string): Promise<void> {
    const at = this.window.cursor;
    try {
      const found = await this.source.bookmark?.(at, text);
      if (!found) return;
      this.about = { ...this.about, ...found };
      this.say(`Bookmark at ${when(this.scene, at)}: ${text}`);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
    this.redraw();
  }

  /** Goes to the next bookmark; after the last one to the first. */
  private nextBookmark(): void {
    const { bookmarks } = this.about;
    const next = bookmarks.find((one) => one.time > this.window.cursor) ?? bookmarks[0];
    if (!next) {
      this.say("The tape has no bookmark.");
      return;
    }
    this.go(next.time);
    this.say(`Bookmark at ${when(this.scene, next.time)}: ${next.text}`);
  }

  private centre(): number {
    const { begin, end, cursor } = this.window;
    return cursor >= begin && cursor <= end ? cursor : (begin + end) / 2;
  }

  private neighbour(by: number): void {
    const place = this.rows.shown.findIndex((row) => row.row === this.selected);
    const next = this.rows.shown[Math.min(Math.max(place + by, 0), this.rows.shown.length - 1)];
    if (next) this.select(next.row);
  }

  private listen(): void {
    document.addEventListener("keydown", (event) => {
      const target = event.target;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLSelectElement && event.key !== "Escape") return;
      if (target instanceof HTMLInputElement || document.querySelector("dialog[open]")) return;
      const action = this.actions[event.key === "=" ? "+" : event.key];
      const inList = target instanceof HTMLElement && target.closest("[data-scrolls]");
      if (!action || (inList && event.key.startsWith("Arrow"))) return;
      event.preventDefault();
      action(event.shiftKey);
      this.changed();
    });
    for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-key]")) {
      button.addEventListener("click", () => {
        this.actions[button.dataset["key"] ?? ""]?.(false);
        this.changed();
      });
    }
    element("search-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.query = this.search.value.trim();
      void this.find(false);
      this.chart.focus();
    });
    element("bookmark-form", HTMLFormElement).addEventListener("submit", () => {
      const text = element("bookmark-text", HTMLInputElement).value.trim();
      if (text) void this.addBookmark(text);
    });
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.chart.focus();
    });
    this.scroller.addEventListener("scroll", this.redraw);
    new ResizeObserver(this.redraw).observe(this.scroller);
    window.addEventListener("hashchange", () => {
      this.takeAddress();
      this.showLabels();
      this.changed();
    });
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => {
        this.theme.refresh();
        this.redraw();
      });
    }
    this.listenToPointer();
  }

  private listenToPointer(): void {
    const timeAt = (event: MouseEvent): number => {
      const box = this.chart.getBoundingClientRect();
      return this.window.begin + ((event.clientX - box.left) / box.width) * this.window.range;
    };
    let from: { x: number; begin: number; time: number; moved: boolean } | null = null;
    for (const canvas of [this.chart, this.axis]) {
      canvas.addEventListener("wheel", (event) => this.wheel(event, timeAt(event)), {
        passive: false,
      });
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        from = { x: event.clientX, begin: this.window.begin, time: timeAt(event), moved: false };
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!from || (!from.moved && Math.abs(event.clientX - from.x) < 3)) return;
        from.moved = true;
        if (event.shiftKey) {
          this.window.marks = [from.time, timeAt(event)].map(Math.round);
        } else {
          const by = ((event.clientX - from.x) / canvas.clientWidth) * this.window.range;
          this.window.show(from.begin - by, from.begin - by + this.window.range);
        }
        this.changed();
      });
      canvas.addEventListener("pointerup", (event) => {
        if (from && !from.moved) {
          this.window.moveCursor(timeAt(event));
          if (canvas === this.chart) this.selectAt(event);
        } else if (from && event.shiftKey) {
          void this.statistics();
        }
        from = null;
        this.changed();
      });
    }
  }

  private selectAt(event: MouseEvent): void {
    const y = event.clientY - this.chart.getBoundingClientRect().top + this.scroller.scrollTop;
    const row = this.rows.shown[Math.floor(y / ROW_HEIGHT)];
    if (row) this.select(row.row);
  }

  private wheel(event: WheelEvent, time: number): void {
    if (event.ctrlKey || (!event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY))) {
      event.preventDefault();
      this.window.zoom(Math.exp(Math.sign(event.deltaY) * 0.25), time);
    } else {
      event.preventDefault();
      this.window.pan(Math.sign(event.deltaX || event.deltaY) * 0.1);
    }
    this.changed();
  }
}

/** Returns the balance of the records of a run as text. */
function balance(run: Run): string {
  const { offered, delivered, overwritten, dropped, damaged } = run.balance;
  const lost = `${overwritten} overwritten + ${dropped} dropped + ${damaged} damaged`;
  return `${offered} records offered = ${delivered} delivered + ${lost}`;
}

/** Sets the size of a canvas in device pixels. */
function sized(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
  }
  const brush = canvas.getContext("2d", { alpha: false });
  brush?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return brush;
}

async function start(): Promise<void> {
  const data = document.getElementById("tape");
  const status = element("status", HTMLParagraphElement);
  try {
    status.textContent = "Reading…";
    const source = data ? await FileSource.of(data.textContent ?? "") : new ServerSource();
    const about = await source.about();
    status.textContent = "";
    new Page(source, about);
  } catch (error) {
    status.textContent = `The tape cannot be shown: ${String(error)}`;
  }
}

void start();
