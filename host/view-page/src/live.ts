import { element, make } from "./panels";
import type { Classes, News, Source } from "./types";

const VERBS = [
  ["start", "The target records."],
  ["stop", "The target records nothing."],
] as const;

/** The functions of the page that the line about a growing tape needs. */
interface Shown {
  /** Shows the latest index. */
  renew(): Promise<void>;
  say(text: string): void;
}

/** The line about the target of a growing tape, and its controls. */
export class LiveLine {
  private version: number;
  private state = "";
  private readonly dialog = element("classes", HTMLDialogElement);

  constructor(
    private readonly source: Source,
    first: News,
    private readonly page: Shown,
  ) {
    this.version = first.version;
    element("live", HTMLElement).hidden = false;
    this.show(first);
    for (const [verb, done] of VERBS) {
      element(`live-${verb}`, HTMLButtonElement).addEventListener("click", () => {
        void this.control(verb, {}, done);
      });
    }
    element("live-classes", HTMLButtonElement).addEventListener("click", () => {
      void this.choose();
    });
    source.watch?.(
      (news) => this.told(news),
      () => {
        this.text("The server is gone: what is shown stays. Asking again…", true);
      },
    );
  }

  private async told(news: News): Promise<void> {
    this.show(news);
    if (news.version === this.version) return;
    this.version = news.version;
    await this.page.renew();
  }

  private show(news: News): void {
    const { balance } = news;
    const lost = balance ? balance.overwritten + balance.dropped + balance.damaged : 0;
    const words = [news.text || news.error];
    if (balance) {
      const boot = news.boot ? `The target was reset: boot ${news.boot}. ` : "";
      const rate = news.state === "recording" ? `, ${news.rate ?? 0} events/s` : "";
      words.push(
        `${boot}${balance.offered} records offered = ${balance.delivered} delivered + ` +
          `${balance.overwritten} overwritten + ${balance.dropped} dropped + ` +
          `${balance.damaged} damaged${rate}`,
      );
    }
    this.text(words.filter(Boolean).join(" "), lost > 0);
    const state = news.error ? "failed" : news.state;
    if (this.state && state !== this.state && words[0]) this.page.say(words[0]);
    this.state = element("live", HTMLElement).dataset["state"] = state;
    element("live-controls", HTMLSpanElement).hidden = !news.controls;
  }

  private text(text: string, isBad: boolean): void {
    const line = element("live-text", HTMLParagraphElement);
    line.classList.toggle("lost", isBad);
    if (line.textContent !== text) line.textContent = text;
  }

  /** Reads the classes of the target, and lets the user choose. */
  private async choose(): Promise<void> {
    const found = await this.control("classes", {}, "");
    if (!found) return;
    const list = element("classes-list", HTMLUListElement);
    list.replaceChildren(
      ...found.classes.map(([name, taken]) => {
        const line = make("li", "");
        const label = make("label", ` ${name}`);
        const box = document.createElement("input");
        box.type = "checkbox";
        box.checked = taken === "all";
        box.indeterminate = taken === "some";
        box.addEventListener("change", () => {
          const take = box.checked;
          const done = `${name} is ${take ? "recorded" : "not recorded"} from now on.`;
          void this.control("class", { class: name, take: take ? "1" : "0" }, done).then((set) => {
            const now = set?.classes.find(([one]) => one === name)?.[1];
            box.checked = now === undefined ? !take : now === "all";
            box.indeterminate = now === "some";
          });
        });
        label.prepend(box);
        line.append(label);
        return line;
      }),
    );
    this.dialog.showModal();
  }

  private async control(
    verb: string,
    args: Readonly<Record<string, string>>,
    done: string,
  ): Promise<Classes | null> {
    try {
      const found = await this.source.control?.(verb, args);
      this.page.say(done);
      return found ?? null;
    } catch (error) {
      this.page.say(error instanceof Error ? error.message : String(error));
      return null;
    }
  }
}
