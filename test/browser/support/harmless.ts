import type { Page } from "playwright-core";
import type { WatchedPage } from "./watched-page.ts";

/** What of a text has become more than text on the page; nothing when all is well. */
export interface Harm {
  /** Elements that act, load or style, and addresses that run something. */
  readonly elements: readonly string[];
  /** Texts and attributes with characters that nobody sees. */
  readonly unseen: readonly string[];
  readonly ran: boolean;
}

export const noHarm: Harm = { elements: [], unseen: [], ran: false };

/** Looks through the whole document. */
const harmOn = (page: Page): Promise<Harm> =>
  page.evaluate(() => {
    const acting =
      "script, iframe, object, embed, base, form[action], img[src^=http], style, math, meta[http-equiv], animate, foreignObject";
    const elements = [...document.querySelectorAll(acting)].filter((each) => !each.closest("head"));
    const links = [...document.querySelectorAll("a[href]")].filter((each) => {
      const { protocol, origin } = each as HTMLAnchorElement;
      return !["http:", "https:", "mailto:"].includes(protocol) || origin === "http://evil.testing";
    });
    const handlers = [...document.body.querySelectorAll("*")].filter((each) =>
      each.getAttributeNames().some((name) => name.startsWith("on")),
    );
    // Directions, zero widths, tags, soft hyphens, and control characters but tab and line feed.
    const hidden =
      /(?!\t|\n)[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u;
    const unseen: string[] = [];
    const note = (text: string, where: Element | null): void => {
      if (!hidden.test(text)) return;
      const at = text.search(hidden);
      const place = where?.closest("[class]")?.className ?? where?.tagName ?? "";
      unseen.push(`${place}: ${JSON.stringify(text.slice(Math.max(0, at - 30), at + 5))}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent?.closest("textarea, script")) note(walker.currentNode.nodeValue ?? "", parent);
    }
    for (const each of document.querySelectorAll("*")) {
      for (const name of ["title", "aria-label", "aria-description", "aria-valuetext", "alt"]) {
        note(each.getAttribute(name) ?? "", each);
      }
    }
    note(document.title, null);
    return {
      elements: [...elements, ...links, ...handlers].map((each) => each.outerHTML.slice(0, 200)),
      unseen: [...new Set(unseen)],
      ran: "pwned" in globalThis,
    };
  });

/** Also that nothing was loaded anew, and nobody complained. */
export const stateOf = async (watched: WatchedPage) => ({
  ...(await harmOn(watched.page)),
  ...watched.trouble,
  loads: watched.loads,
});
