import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), startChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

/** Keys that decide when a ticket has the focus stand here more often than others. */
const letters = "ynscahYNSCAH  yes no abort 1234567890";

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

test.each([1, 2, 3])(
  "who types fast while requests arrive decides nothing and loses no letter (seed %i)",
  async (seed) => {
    await using watched = await WatchedPage.open(browser, await team.link());
    await watched.live();
    const { page } = watched;
    await watched.visit("/talk");
    const composer = page.getByRole("textbox", { name: /Write/ });
    await composer.fill("");
    await composer.focus();
    await using bob = await team.client();
    const next = random(seed);
    const decided: string[] = [];
    let asked = 0;
    await bob.follow({ since: bob.init.last_seq }, (item) => {
      if (item.type === "approval_requested") {
        asked += 1;
        const { request_id } = item.request;
        // While a ticket stands there, the typing goes on.
        setTimeout(() => void bob.request("approve", { request_id }), 150 + next() * 400);
      }
      if (item.type === "approval_resolved") decided.push(item.by ?? item.outcome);
    });
    await bob.request("send", { text: "storm" });
    let typed = "";
    while (decided.length < 6) {
      const key = letters[Math.floor(next() * letters.length)] ?? "y";
      await page.keyboard.type(key);
      typed += key;
      await page.waitForTimeout(next() * 12);
    }
    expect(asked).toBe(6);
    expect(await composer.inputValue()).toBe(typed);
    expect(typed.length).toBeGreaterThan(60);
    expect(decided.filter((by) => by.includes("anna"))).toEqual([]);
    expect(await composer.evaluate((field) => document.activeElement === field)).toBe(true);
    await composer.fill("");
    expect(watched.trouble).toEqual(quiet);
  },
);

test("Enter that ends a composition of an input method does not send", async () => {
  await using watched = await WatchedPage.open(browser, await team.link(), { lang: "ja" });
  await watched.live();
  await watched.visit("/talk");
  const composer = watched.page.locator("form textarea");
  await composer.focus();
  const cdp = await watched.cdp();
  const seq = async (): Promise<number> => {
    await using client = await team.client();
    return client.init.last_seq;
  };
  const before = await seq();
  await cdp.send("Input.imeSetComposition", { text: "かんじ", selectionStart: 3, selectionEnd: 3 });
  await cdp.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Process",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  // So other systems tell of the same key.
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
  await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await cdp.send("Input.insertText", { text: "漢字" });
  expect(await composer.inputValue()).toBe("漢字");
  expect(await seq()).toBe(before);
  // Then a real one sends.
  await watched.page.waitForTimeout(100);
  await watched.page.keyboard.press("Enter");
  await watched.page.getByRole("log").getByText("漢字").waitFor();
  await watched.page.getByRole("log").getByText("Very well.").last().waitFor();
  expect(await composer.inputValue()).toBe("");
  expect(watched.trouble).toEqual(quiet);
});
