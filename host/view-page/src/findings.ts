import { element, make } from "./panels";
import type { Finding, Group, Source } from "./types";

/** What the panel needs from the page. */
interface Host {
  readonly when: (time: number) => string;
  /** Shows the place of a finding on the timeline. */
  readonly show: (finding: Finding) => void;
}

/** The panel of the findings of a tape; each one leads to its place on the timeline. */
export class FindingsPanel {
  private readonly section = element("findings", HTMLElement);

  constructor(
    private readonly source: Source,
    private readonly host: () => Host,
  ) {}

  close(): void {
    this.section.hidden = true;
  }

  async open(): Promise<void> {
    const text = element("findings-text", HTMLParagraphElement);
    const list = element("findings-list", HTMLOListElement);
    this.section.hidden = false;
    text.textContent = "Reading…";
    list.replaceChildren();
    this.section.focus();
    try {
      const groups = await this.source.findings();
      text.textContent = textOf(groups);
      list.replaceChildren(...groups.flatMap((group) => this.lines(group)));
    } catch (error) {
      text.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private lines(group: Group): HTMLLIElement[] {
    const { show, when } = this.host();
    const lines = group.found.map((finding) => {
      const button = make("button", when(finding.begin));
      button.type = "button";
      button.addEventListener("click", () => {
        show(finding);
      });
      const line = make("li", "");
      line.append(button, make("span", `${group.by}: ${finding.what}`));
      return line;
    });
    const more = group.count - group.found.length;
    if (more > 0) lines.push(make("li", `and ${more} more of ${group.by}`));
    return lines;
  }
}

function textOf(groups: readonly Group[]): string {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const doubts = groups.flatMap((group) =>
    group.doubts.slice(0, 1).map((doubt) => `${group.by}: ${doubt}`),
  );
  const unknown = doubts.length ? ` Unknown: ${doubts.join("; ")}.` : "";
  return `${count ? count : "No"} ${count === 1 ? "finding" : "findings"}.${unknown}`;
}
