import type {
  About,
  Arrow,
  ArrowsIn,
  Bookmarks,
  Classes,
  Found,
  Group,
  Instances,
  Loss,
  News,
  Progress,
  Source,
  Spread,
  Stats,
  TapeEvent,
  Tiles,
  Whys,
} from "./types";

const RETRY_MS = 2000;

/** A later index has replaced the one of the page; its news will arrive. */
export class OutdatedError extends Error {}

/** Answers by requests to the server of this page. */
export class ServerSource implements Source {
  /** Version of the index whose row numbers the page uses. */
  private version = -1;

  async about(): Promise<About> {
    const about = await ask<About>("about", {});
    this.version = about.version ?? -1;
    return about;
  }

  progress(): Promise<Progress> {
    return ask("progress", {});
  }

  async bookmark(time: number, text: string): Promise<Bookmarks> {
    return post("bookmark", { time: String(time), text });
  }

  control(verb: string, args: Readonly<Record<string, string>>): Promise<Classes> {
    return post(verb, args);
  }

  watch(told: (news: News) => Promise<void>, gone: () => void): void {
    const address = new URL("live", location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    socket.addEventListener("message", (event) => {
      void told(JSON.parse(String(event.data)) as News).finally(() => {
        if (socket.readyState === WebSocket.OPEN) socket.send("next");
      });
    });
    socket.addEventListener("close", () => {
      gone();
      setTimeout(() => {
        this.watch(told, gone);
      }, RETRY_MS);
    });
  }

  tiles(begin: number, end: number, pixels: number, rows: readonly number[]): Promise<Tiles> {
    return this.ask("tiles", { begin, end, pixels, rows: rows.join(",") });
  }

  async losses(begin: number, end: number): Promise<readonly Loss[]> {
    return (await this.ask<{ losses: Loss[] }>("losses", { begin, end })).losses;
  }

  async events(time: number, before: number, after: number): Promise<readonly TapeEvent[]> {
    return (await this.ask<{ events: TapeEvent[] }>("events", { time, before, after })).events;
  }

  find(name: string, time: number, back: boolean): Promise<Found> {
    return this.ask("find", { name, time, back: back ? 1 : 0 });
  }

  stats(begin: number, end: number): Promise<Stats> {
    return this.ask("stats", { begin, end });
  }

  arrows(begin: number, end: number, pixels: number, row: number | null): Promise<ArrowsIn> {
    return this.ask("arrows", { begin, end, pixels, row: row ?? "" });
  }

  async follow(row: number, time: number, back: boolean): Promise<Arrow | null> {
    const found = await this.ask<{ found: Arrow | null }>("follow", {
      row,
      time,
      back: back ? 1 : 0,
    });
    return found.found;
  }

  async findings(): Promise<readonly Group[]> {
    return (await this.ask<{ groups: Group[] }>("findings", {})).groups;
  }

  spread(row: number, figure: string, other: string, begin: number, end: number): Promise<Spread> {
    return this.ask("spread", { row, figure, other, begin, end });
  }

  instances(
    row: number,
    figure: string,
    other: string,
    range: readonly [number, number],
    least: number,
    most: number,
    touching = false,
  ): Promise<Instances> {
    const [begin, end] = range;
    const words = { row, figure, other, begin, end, least, most };
    return this.ask("instances", { ...words, touching: touching ? 1 : 0 });
  }

  why(row: number, begin: number, end: number, worst: number): Promise<Whys> {
    return this.ask("why", { row, begin, end, worst });
  }

  private ask<T>(question: string, args: Record<string, string | number>): Promise<T> {
    return ask(question, { ...args, version: this.version });
  }
}

async function ask<T>(question: string, args: Record<string, string | number>): Promise<T> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) words.set(name, String(value));
  const response = await fetch(`api/${question}?${words}`, { cache: "no-store" });
  if (response.status === 410) throw new OutdatedError("the tape has grown since; ask again");
  if (!response.ok) {
    const found = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Error(found.error ?? `${question}: status ${response.status}`);
  }
  return (await response.json()) as T;
}

async function post<T>(name: string, args: Readonly<Record<string, string>>): Promise<T> {
  const response = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  if (response.status === 404) throw new Error("nothing here can be controlled");
  const found = (await response.json()) as T & { error?: string };
  if (found.error !== undefined) throw new Error(found.error);
  return found;
}
