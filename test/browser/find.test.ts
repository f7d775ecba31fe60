import { deepStrictEqual } from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChromium } from "./support/chromium.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

const script = `
rules:
  - when: { user: '/^hide/' }
    thinking: In my thoughts is a needle.
    text: In my words is a Needle.
    tools:
      - { name: Bash, input: { command: "echo needle-in | tr n m; echo; tail -n 1 hay" } }
  - when: { tool_result: Bash }
    text: That is all of it.
default: { text: Only hay. }
`;

/** As many events as the page reads at once. */
const PAGE_EVENTS = 400;
const BUNDLES = 14;

let session: BrowserSession;
let browser: Browser;
let firstHay = 0;
beforeAll(async () => {
  [session, browser] = await Promise.all([BrowserSession.start(script), startChromium()]);
  await using client = await session.client();
  const end = async (text: string): Promise<void> => {
    const done = (async () => {
      for await (const item of client.events()) if (item.type === "done") return;
    })();
    await client.send(text);
    await done;
  };
  await end("hide a NEEDLE in it");
  ({ last_seq: firstHay } = await client.status());
  for (let bundle = 0; bundle < BUNDLES; bundle += 1) {
    const notes = Array.from({ length: 45 }, (_, at) =>
      client.send(`hay ${bundle} ${at}`, { quiet: true }),
    );
    await Promise.all(notes);
    await end(`more hay ${bundle}`);
  }
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
});

test("a text is found in words, thoughts and calls that are many pages of the log away, and each hit leads there", async () => {
  await using client = await session.client();
  const { last_seq: last } = await client.status();
  expect(last - firstHay).toBeGreaterThan(3 * PAGE_EVENTS);
  await using watched = await WatchedPage.open(browser, await session.link());
  await watched.live();
  const { page } = watched;
  page.setDefaultTimeout(20_000);
  const log = page.getByRole("log");
  await log.getByText("Only hay.").last().waitFor();
  expect(await log.getByText(/needle/i).count()).toBe(0);

  await page.keyboard.press("Control+f");
  const find = page.getByRole("search");
  await find.getByRole("searchbox").fill("needle");
  const hits = find.getByRole("listitem").getByRole("button");
  await find.getByText(/hits/).waitFor();
  for (const more = find.getByText("Search on in older turns"); (await more.count()) > 0;) {
    await more.click();
    await find.getByText("Searching …").waitFor({ state: "detached" });
  }
  const previews = await hits.locator("span").allInnerTexts();
  const wanted = [
    /In my words is a Needle/,
    /In my thoughts is a needle/,
    /echo needle-in/,
    /hide a NEEDLE/,
  ];
  for (const each of wanted) {
    const at = previews.findIndex((preview) => each.test(preview));
    expect({ each, at }).not.toEqual({ each, at: -1 });
    await page
      .getByRole("button", { name: /To the newest|new$/ })
      .click()
      .catch(() => undefined);
    await hits.nth(at).click();
    await expect.poll(() => isInView(log, each)).toBe(true);
  }
  expect(await find.getByRole("alert").count()).toBe(0);
  await find.getByRole("searchbox").fill("no such thing");
  await find.getByText("Nothing found. · The whole conversation was searched.").waitFor();
  await page.keyboard.press("Escape");
  await find.waitFor({ state: "detached" });
  deepStrictEqual(watched.trouble, quiet);
});

/** Whether a text of the conversation stands where a person can see it. */
const isInView = (log: Locator, text: RegExp): Promise<boolean> =>
  log.evaluate(
    (root, { source, flags }) => {
      const wanted = new RegExp(source, flags);
      const { top, bottom } = root.getBoundingClientRect();
      return [...root.querySelectorAll("p, pre, summary, code, span, article")].some((each) => {
        const place = each.getBoundingClientRect();
        const isThere = place.height > 0 && place.bottom > top && place.top < bottom;
        return isThere && wanted.test(each.textContent ?? "");
      });
    },
    { source: text.source, flags: text.flags },
  );
