import type { About, Found, Loss, Source, Stats, TapeEvent, Tiles } from "./types";

/** Asks the server that this page came from. */
export class ServerSource implements Source {
  about(): Promise<About> {
    return ask("about", {});
  }

  tiles(begin: number, end: number, pixels: number, rows: readonly number[]): Promise<Tiles> {
    return ask("tiles", { begin, end, pixels, rows: rows.join(",") });
  }

  async losses(begin: number, end: number): Promise<readonly Loss[]> {
    return (await ask<{ losses: Loss[] }>("losses", { begin, end })).losses;
  }

  async events(time: number, before: number, after: number): Promise<readonly TapeEvent[]> {
    return (await ask<{ events: TapeEvent[] }>("events", { time, before, after })).events;
  }

  find(name: string, time: number, back: boolean): Promise<Found> {
    return ask("find", { name, time, back: back ? 1 : 0 });
  }

  stats(begin: number, end: number): Promise<Stats> {
    return ask("stats", { begin, end });
  }
}

async function ask<T>(question: string, args: Record<string, string | number>): Promise<T> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) words.set(name, String(value));
  const response = await fetch(`api/${question}?${words}`, { cache: "no-store" });
  if (!response.ok) throw new Error(`${question}: ${await response.text()}`);
  return (await response.json()) as T;
}
