import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { looks, screens } from "./support/screens.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), startChromium()]);
  // Something to show on every view: an answer, a call that waits, and one that was decided.
  await using client = await team.client();
  await client.request("send", { text: "hello" });
  await client.request("send", { text: "touch one" });
  await vi.waitFor(
    async () => {
      const { approvals } = await client.request("approvals", {});
      if (approvals.length !== 1) throw new Error("no call waits");
    },
    { timeout: 30_000 },
  );
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

const routes = screens.map(({ path }) => path.replace("coding_specialist", "coder"));

test.each(looks)(
  "axe finds nothing on any view, no label is cut and nothing is animated ($lang, $theme, $width px)",
  { timeout: 240_000 },
  async (look) => {
    await using watched = await WatchedPage.open(browser, await team.link(), look);
    await watched.live();
    expect(
      await watched.page.evaluate(() => [
        document.documentElement.lang,
        document.documentElement.dataset["theme"],
      ]),
    ).toEqual([look.lang, look.theme]);
    const found: string[] = [];
    for (const route of routes) {
      await watched.visit(route);
      await watched.page.locator("main").waitFor();
      await watched.page.waitForTimeout(400);
      found.push(...(await watched.axe()).map((line) => `${route} ${line}`));
      const cut = await watched.page.evaluate(() =>
        [...document.querySelectorAll("button")]
          .filter((button) => button.scrollWidth > button.clientWidth + 1)
          .map((button) => button.outerHTML.slice(0, 120)),
      );
      found.push(...cut.map((html) => `${route} cut: ${html}`));
      const wide = await watched.page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth,
      );
      if (wide) found.push(`${route} is wider than the window`);
      const running = await watched.page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === "running").length,
      );
      if (running > 0) found.push(`${route} has ${running} animations`);
    }
    expect(found).toEqual([]);
    expect(watched.trouble).toEqual(quiet);
  },
);

test(
  "with 200 % zoom and with forced colours every view can be used",
  { timeout: 120_000 },
  async () => {
    await using watched = await WatchedPage.open(browser, await team.link(), {
      width: 720,
      height: 450,
    });
    await watched.live();
    await watched.page.emulateMedia({ forcedColors: "active" });
    for (const route of routes) {
      await watched.visit(route);
      await watched.page.waitForTimeout(300);
      const wide = await watched.page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth,
      );
      expect([route, wide]).toEqual([route, false]);
      expect(await watched.page.locator("main").isVisible()).toBe(true);
    }
    expect(watched.trouble).toEqual(quiet);
  },
);
