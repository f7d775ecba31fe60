import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("a link signs in once, leaves the address, and stays good for the browser that used it", async () => {
  const link = await team.link();
  await using first = await WatchedPage.open(browser, link, { allowed: [/401/] });
  await first.live();
  expect(first.page.url()).toBe(`${first.origin}/`);
  const { page } = first;
  const seen = await page.evaluate(() => [location.hash, document.referrer]);
  expect(seen).toEqual(["", ""]);
  // Nor is it in what the browser keeps of where it was.
  const { entries } = await (await first.cdp()).send("Page.getNavigationHistory");
  expect(entries.map(({ url }) => url)).toEqual(["about:blank", `${first.origin}/`]);
  await page.reload();
  await first.live();
  // Somebody who finds the used link gets nothing by it.
  await using second = await WatchedPage.open(browser, link, { allowed: [/401/] });
  await second.page.getByText("This link was used already, or its time is over.").waitFor();
  expect(second.sockets).toEqual([]);
  expect(first.trouble).toEqual(quiet);
  expect(second.trouble).toEqual(quiet);
});

test("a page without a link says how to get one, at every address", async () => {
  const { origin } = new URL(await team.link());
  for (const path of ["/", "/board", "/a/coder", "/calls/x"]) {
    await using out = await WatchedPage.open(browser, origin + path, { allowed: [/401/] });
    await out.page.getByText("switchboard web link").waitFor();
    expect(out.sockets).toEqual([]);
    expect(out.trouble).toEqual(quiet);
  }
});

test("a revoked sign-in ends its page at once, and the page does not try again", async () => {
  await using watched = await WatchedPage.open(browser, await team.link("--name", "eve"), {
    allowed: [/401/, /4401/],
  });
  await watched.live();
  const { out } = await team.cli("web", "links", "--json");
  const eve = out
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; name: string })
    .find(({ name }) => name === "eve");
  const before = watched.sockets.length;
  await team.cli("web", "unlink", eve?.id ?? "");
  await watched.page.getByText("The sign-in has ended.").waitFor();
  // Longer than many tries of a page that would not stop.
  await watched.page.waitForTimeout(3_000);
  expect(watched.sockets.length).toBe(before);
  expect(watched.loads).toBe(1);
  expect(watched.trouble).toEqual(quiet);
});

test("the address of the page chooses nothing that it connects to", async () => {
  // What looks like a file, and is none of the page's, is not told to a browser's own request without a key.
  const allowed = [/status of 401/];
  await using watched = await WatchedPage.open(browser, await team.link(), { allowed });
  await watched.live();
  for (const query of [
    "?gatewayUrl=ws://evil.test/ws",
    "?url=http://evil.test:1&ws=evil.test",
    "?at=http://evil.test#ws://evil.test",
    "//evil.test/board",
    "/a/..%2f..%2fevil.test",
  ]) {
    await watched.page.goto(`${watched.origin}/board${query}`).catch(() => undefined);
    await watched.page.waitForTimeout(200);
  }
  expect(watched.sockets.every(({ path }) => path.startsWith("/ws/"))).toBe(true);
  expect(watched.trouble).toEqual(quiet);
});

test("an owner makes a link for a viewer on the page, sees it used, and takes it back; a name that nobody may have is refused with the reason", async () => {
  await using mine = await WatchedPage.open(browser, await team.link(), { allowed: [/422/] });
  await mine.live();
  await mine.visit("/settings");
  const { page } = mine;
  page.setDefaultTimeout(20_000);
  const name = page.getByRole("textbox", { name: /^Name/ });
  const make = page.getByRole("button", { name: "Make a link" });
  await name.fill("switchboard");
  await make.click();
  await page
    .getByRole("alert")
    .getByText(/switchboard/)
    .waitFor();
  await name.fill("zoe");
  await make.click();
  const made = page.getByRole("status").locator("input");
  await expect.poll(() => made.inputValue()).toContain("#enter=");
  const row = page.getByRole("listitem").filter({ hasText: "zoe" });
  expect(await row.innerText()).toMatch(/may watch/);
  await using hers = await WatchedPage.open(browser, await made.inputValue(), {
    allowed: [/401/, /4401/],
  });
  await hers.live();
  await hers.visit("/talk");
  await hers.page.getByText("You look on with a link for viewers").waitFor();
  await row.getByRole("button", { name: /zoe/ }).click();
  await hers.page.getByText("The sign-in has ended.").waitFor();
  await row.waitFor({ state: "detached" });
  expect(mine.trouble).toEqual(quiet);
  expect(hers.trouble).toEqual(quiet);
});

test("a page for which there is no room says so by its connection, and comes in by itself when another has gone", async () => {
  await using many = await WatchedPage.open(browser, await team.link());
  await many.live();
  await many.visit("/board");
  // One sign-in may have eight.
  await many.page.evaluate(async () => {
    const key = localStorage.getItem("switchboard.key") ?? "";
    const sockets = Array.from(
      { length: 7 },
      () => new WebSocket(`ws://${location.host}/ws/team`, ["switchboard.1", `sb.${key}`]),
    );
    Object.assign(globalThis, { sockets });
    await Promise.all(
      sockets.map((each) => new Promise((resolve) => each.addEventListener("message", resolve))),
    );
  });
  const late = await many.context.newPage();
  await late.goto(`${many.origin}/board`);
  await late.getByText("The connection is lost.").waitFor();
  await many.page.evaluate(() => {
    for (const each of (globalThis as unknown as { sockets: WebSocket[] }).sockets) each.close();
  });
  await late.locator('footer [data-link="live"]').waitFor({ state: "attached" });
  await late.getByRole("region", { name: "Cord board" }).getByText("coder").first().waitFor();
  expect(many.trouble).toEqual(quiet);
});

test("a page whose sign-in has ended while it had no connection says so, and does not try again", async () => {
  const allowed = [/401/, /WebSocket connection to/, /net::ERR_/];
  await using watched = await WatchedPage.open(browser, await team.link(), { allowed });
  await watched.live();
  const file = join(team.stateDir, "web/sign-ins.json");
  const memory = JSON.parse(readFileSync(file, "utf8")) as object;
  process.kill(team.gatewayPid, "SIGKILL");
  // The next gateway has the same port, and knows nobody.
  writeFileSync(file, JSON.stringify({ ...memory, passes: [] }));
  await watched.page.getByText("The sign-in has ended.").waitFor({ timeout: 20_000 });
  const before = watched.sockets.length;
  await watched.page.waitForTimeout(3_000);
  expect(watched.sockets.length).toBe(before);
  expect(watched.loads).toBe(1);
  expect(watched.trouble).toEqual(quiet);
});
