import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BrowserSession } from "./support/browser-session.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { looks, placesOf, sessionScreens, teamScreens } from "./support/screens.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let session: BrowserSession;
let browser: Browser;
let teamPaths: string[];
let sessionPaths: string[];
beforeAll(async () => {
  browser = await startChromium();
  team = await BrowserTeam.start(pair, script);
  session = await BrowserSession.start(script);
  // Something to show on every view: an answer, a call that waits, and one that was decided.
  await using client = await team.client();
  await client.request("send", { text: "hello" });
  await client.request("send", { text: "touch one" });
  const places = await placesOf(client, "coder");
  teamPaths = teamScreens.map(({ path }) => path(places));
  const call = await session.callAfter(["hello", "touch one"]);
  sessionPaths = sessionScreens.map(({ path }) => path({ call }));
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
  await team?.stop();
});

/** What is wrong on the view that is shown. */
async function faultsOf(watched: WatchedPage): Promise<string[]> {
  const axe = await watched.axe();
  const others = await watched.page.evaluate(() => [
    ...[...document.querySelectorAll("button")]
      .filter((button) => button.scrollWidth > button.clientWidth + 1)
      .map((button) => `cut: ${button.outerHTML.slice(0, 120)}`),
    ...(document.documentElement.scrollWidth > innerWidth ? ["wider than the window"] : []),
    ...document
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .map(() => "an animation"),
  ]);
  return [...axe, ...others];
}

const pages = [
  { name: "a team", open: () => team.link(), paths: () => teamPaths },
  { name: "one session", open: () => session.link(), paths: () => sessionPaths },
];

test.each(looks.flatMap((look) => pages.map((each) => ({ ...look, ...each, look }))))(
  "axe finds nothing on any view of $name, no label is cut and nothing is animated ($lang, $theme, $width px)",
  { timeout: 240_000 },
  async ({ look, open, paths }) => {
    await using watched = await WatchedPage.open(browser, await open(), look);
    await watched.live();
    expect(
      await watched.page.evaluate(() => [
        document.documentElement.lang,
        document.documentElement.dataset["theme"],
      ]),
    ).toEqual([look.lang, look.theme]);
    const found: string[] = [];
    for (const path of paths()) {
      await watched.visit(path);
      await watched.page.locator("main").waitFor();
      await watched.page.waitForTimeout(400);
      found.push(...(await faultsOf(watched)).map((fault) => `${path} ${fault}`));
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
    for (const route of teamPaths) {
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
