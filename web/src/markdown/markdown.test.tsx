// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Markdown } from "./markdown.tsx";

const place = document.createElement("div");
document.body.append(place);
// Time stands still: so all is drawn at once, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => {
  render(null, place);
  vi.useRealTimers();
});

const draw = (text: string, streaming = false): Promise<void> =>
  act(() => render(<Markdown text={text} streaming={streaming} />, place));
const root = (): HTMLElement => place.firstElementChild as HTMLElement;
const elements = (): string[] =>
  [...new Set([...root().querySelectorAll("*")].map(({ localName }) => localName))].sort();

describe("Markdown", () => {
  it("draws the blocks and marks of Markdown", async () => {
    await draw(
      "# Title\n\nSome **bold** and `code`.\n\n3. three\n4. four\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n> said\n\n- [x] done\n\n```ts\nlet a = 1;\n```\n",
    );
    expect(root().querySelector("h3")?.textContent).toBe("Title");
    expect(root().querySelector("strong")?.textContent).toBe("bold");
    expect(root().querySelector("ol")?.getAttribute("start")).toBe("3");
    expect([...root().querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["1", "2"]);
    expect(root().querySelector("blockquote")?.textContent).toBe("said");
    expect(root().querySelector("[role=img]")?.getAttribute("aria-label")).toBe("Done");
    expect(root().querySelector("pre")?.textContent).toBe("let a = 1;");
  });

  it("makes emphasis of marks beside Japanese brackets", async () => {
    await draw("これは**「重要」**な**注意。**です。");
    expect([...root().querySelectorAll("strong")].map((node) => node.textContent)).toEqual([
      "「重要」",
      "注意。",
    ]);
  });

  it("closes marks that are open only while the text grows", async () => {
    await draw("Some **bo", true);
    expect(root().querySelector("strong")?.textContent).toBe("bo");
    await draw("Some **bo");
    expect(root().textContent).toBe("Some **bo");
  });

  it.each([
    ["list", (n: number) => `- item **${n}**\n`, "li"],
    ["table", (n: number) => (n === 0 ? "| a |\n| - |\n" : `| row **${n}** |\n`), "tr"],
    ["text", (n: number) => `Paragraph **${n}**.\n\n`, "p"],
    ["fence", (n: number) => (n === 0 ? "```\n" : "line\n".repeat(64)), "code > span"],
  ])("leaves what is drawn of a %s as it is when more comes", async (_, part, selector) => {
    let text = "";
    const changes: string[] = [];
    for (let n = 0; n < 40; n++) text += part(n);
    await draw(text, true);
    const before = [...root().querySelectorAll(selector)];
    expect(before.length).toBeGreaterThan(30);
    const watch = new MutationObserver(() => {});
    for (const node of before.slice(0, -1)) {
      watch.observe(node, {
        childList: true,
        characterData: true,
        subtree: true,
        attributes: true,
      });
    }
    for (let n = 40; n < 80; n++) {
      text += part(n);
      await draw(text, true);
    }
    await draw(text);
    for (const { target } of watch.takeRecords()) changes.push(target.nodeName);
    expect(changes).toEqual([]);
    const after = [...root().querySelectorAll(selector)];
    expect(after.length).toBeGreaterThan(70);
    expect(before.every((node, index) => node === after[index])).toBe(true);
  });

  it.each([
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<svg onload=alert(1)>",
    '<iframe srcdoc="<script>alert(1)</script>">',
    "<style>*{display:none}</style>",
    "<base href=//evil.example>",
    "<form action=//evil.example><input></form>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVa&#x73;cript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example)",
    "[x](/local)",
    "[x](https://trusted.example@evil.example/)",
    "![secret](http://evil.example/?secret)",
    "![x][y]\n\n[y]: http://evil.example/p.png",
    "<javascript:alert(1)>",
    "<div style='background:url(http://evil.example)'>",
  ])("makes no more than text of %s", async (text) => {
    for (const streaming of [true, false]) {
      await draw(text, streaming);
      expect(elements().filter((name) => !["p", "span", "bdi", "em"].includes(name))).toEqual([]);
      expect(root().textContent?.length).toBeGreaterThan(0);
    }
  });

  it("opens links in a tab of their own that knows nothing of the page", async () => {
    await draw("[docs](https://docs.example/a) <mailto:a@b.example>");
    const [link, mail] = root().querySelectorAll("a");
    expect(link?.getAttributeNames().sort()).toEqual(["href", "rel", "target", "title"]);
    expect([link?.href, link?.rel, link?.target]).toEqual([
      "https://docs.example/a",
      "noopener noreferrer",
      "_blank",
    ]);
    expect(mail?.href).toBe("mailto:a@b.example");
  });

  it("shows where a link leads whose words name another address", async () => {
    await draw(
      "[https://good.example](https://evil.example/x) [good.example](https://good.example)",
    );
    expect(root().textContent).toBe("https://good.example (evil.example) good.example");
  });

  it("shows what is hidden in the words of a link and in code", async () => {
    await draw("[a\u202eb](https://x.example) `c\u200bd`\n\n```\ne\u2066f\n```\n");
    expect([...root().querySelectorAll("bdi")].map((node) => node.textContent)).toEqual([
      "U+202E",
      "U+200B",
      "U+2066",
    ]);
  });
});
