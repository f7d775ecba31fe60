import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  // A name of an attacker that points at this machine, as after DNS rebinding.
  const rebound = "--host-resolver-rules=MAP evil.test 127.0.0.1";
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), startChromium(rebound)]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

/** A page that another program of this machine serves on the same address, at another port. */
async function otherServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>other</title>${request.url === "/" ? "" : "x"}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("a page of another port of the same address gets nothing, though the browser sends the cookie along", async () => {
  await using mine = await WatchedPage.open(browser, await team.link());
  await mine.live();
  const cookies = await mine.context.cookies(mine.origin);
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/" }]);
  const page = await mine.context.newPage();
  await page.goto(await otherServer());
  const { host } = new URL(mine.origin);
  const got = await page.evaluate(async (to) => {
    const fetched = (path: string, init: RequestInit) =>
      fetch(`http://${to}${path}`, { credentials: "include", ...init }).then(
        async (response) => `${response.status} ${response.type} ${await response.text()}`,
        () => "refused",
      );
    const socketTo = (path: string, protocols: string[]) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://${to}${path}`, protocols);
        socket.addEventListener("open", () => resolve("open"));
        socket.addEventListener("close", () => resolve("refused"));
      });
    const picture = (path: string) =>
      new Promise<string>((resolve) => {
        const image = new Image();
        image.addEventListener("load", () => resolve("loaded"));
        image.addEventListener("error", () => resolve("refused"));
        image.src = `http://${to}${path}`;
      });
    return {
      read: await fetched("/auth/me", {}),
      opaque: await fetched("/auth/me", { mode: "no-cors" }),
      written: await fetched("/auth/links", { method: "POST", body: '{"role":"owner"}' }),
      blind: await fetched("/auth/leave", { method: "POST", mode: "no-cors" }),
      socket: await socketTo("/ws/team", ["switchboard.1"]),
      guessed: await socketTo("/ws/team", ["switchboard.1", "sb.AAAA"]),
      picture: await picture("/assets/icon.svg"),
      blob: await picture("/api/blob/boss/b1"),
    };
  }, host);
  expect(got).toEqual({
    read: "refused",
    // The answer is a refusal, and its page may not even read that.
    opaque: expect.stringMatching(/^(0 opaque $|refused)/),
    written: "refused",
    blind: expect.stringMatching(/^(0 opaque $|refused)/),
    socket: "refused",
    guessed: "refused",
    picture: "refused",
    blob: "refused",
  });
  // A form is the one thing that a browser sends without asking anybody.
  await page.setContent(
    `<form method="post" action="http://${host}/auth/leave"><button>go</button></form>`,
  );
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/auth/leave")),
    page.getByRole("button").click(),
  ]);
  expect(answer.status()).toBe(403);
  // Nothing of all that has changed anything.
  await mine.page.reload();
  await mine.live();
  expect(await mine.context.cookies(mine.origin)).toMatchObject([{ value: cookies[0]?.value }]);
  expect(mine.trouble).toEqual(quiet);
});

test("a page cannot be framed, and its opener has no hold of it", async () => {
  const link = await team.link();
  const { origin } = new URL(link);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(await otherServer());
  await page.setContent(`<iframe src="${origin}/" width="500" height="500"></iframe>`);
  await expect.poll(() => page.frames().length).toBe(2);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  const [opened] = await Promise.all([
    context.waitForEvent("page"),
    page.evaluate((to) => void Object.assign(globalThis, { mine: globalThis.open(to) }), link),
  ]);
  await opened.locator("footer").waitFor();
  expect(await page.evaluate(() => (globalThis as { mine?: Window }).mine?.closed)).toBe(true);
  expect(await opened.evaluate(() => opener === null)).toBe(true);
});

test("a name of somebody else that points at this machine is refused, with its own page too", async () => {
  const { port, hash } = new URL(await team.link());
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  for (const path of ["/", `/${hash}`, "/auth/me", "/assets/app.js", "/healthz"]) {
    const answer = await page.goto(`http://evil.test:${port}${path}`);
    expect([path, answer?.status() ?? 403]).toEqual([path, 403]);
  }
});
