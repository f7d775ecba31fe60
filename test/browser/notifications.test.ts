import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { lookAway } from "./support/look-away.ts";
import { openCall } from "./support/story.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  const bidi = `
  - when: { user: turn around }
    tools: [{ name: Bash, input: { command: "touch \\u202Eback", description: hidden } }]`;
  const withBidi = script.replace("rules:", `rules:${bidi}`);
  [team, browser] = await Promise.all([BrowserTeam.start(pair, withBidi), startChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

interface Made {
  readonly title: string;
  readonly body: string;
  readonly isShown: boolean;
  readonly isClosed: boolean;
}

/** A page that may notify, and that remembers each real notification. */
async function openPage(): Promise<WatchedPage> {
  const watched = await WatchedPage.open(browser, await team.link());
  onTestFinished(() => watched[Symbol.asyncDispose]());
  await watched.live();
  await watched.context.grantPermissions(["notifications"], { origin: watched.origin });
  await watched.page.evaluate(() => {
    const made: { it: Notification; isShown: boolean; isClosed: boolean }[] = [];
    const Real = Notification;
    class Noted extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        const entry = { it: this as Notification, isShown: false, isClosed: false };
        made.push(entry);
        this.addEventListener("show", () => (entry.isShown = true));
        this.addEventListener("close", () => (entry.isClosed = true));
      }
    }
    Object.assign(globalThis, { Notification: Noted, made });
  });
  return watched;
}

const made = (page: Page): Promise<Made[]> =>
  page.evaluate(() =>
    (
      globalThis as unknown as {
        made: { it: Notification; isShown: boolean; isClosed: boolean }[];
      }
    ).made.map(({ it, isShown, isClosed }) => ({
      title: it.title,
      body: it.body,
      isShown,
      isClosed,
    })),
  );

async function switchOn(watched: WatchedPage): Promise<void> {
  await watched.visit("/settings");
  await watched.page.getByLabel(/Notify me of calls/).check();
  await watched.visit("/board");
}

async function ask(text: string): Promise<string> {
  await using client = await team.client();
  await client.request("send", { text });
  return await openCall(client);
}

async function approve(request_id: string): Promise<void> {
  await using client = await team.client();
  await client.request("approve", { request_id });
}

test("a call while the page is hidden makes a notification, whose click opens the call, and which goes when the call is over", async () => {
  const watched = await openPage();
  const { page } = watched;
  await switchOn(watched);
  const lookBack = await lookAway(watched);
  const call = await ask("touch noted");
  await expect
    .poll(() => made(page))
    .toMatchObject([{ title: "boss · Bash", body: "touch noted", isShown: true, isClosed: false }]);
  await page.evaluate(() => {
    const [{ it }] = (globalThis as unknown as { made: [{ it: Notification }] }).made;
    it.dispatchEvent(new Event("click"));
  });
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/calls/${encodeURIComponent(call)}`);
  await lookBack();
  await page.locator(`[data-call="${call}"]`).waitFor();
  await expect.poll(() => made(page)).toMatchObject([{ isClosed: true }]);

  // One that a decision elsewhere ends goes by itself.
  await approve(call);
  await lookAway(watched);
  const next = await ask("touch gone");
  await expect.poll(() => made(page)).toMatchObject([{}, { isShown: true, isClosed: false }]);
  await approve(next);
  await expect.poll(() => made(page)).toMatchObject([{}, { isClosed: true }]);
  expect(watched.trouble).toEqual(quiet);
});

test("a notification shows the hidden characters of a command by their code points", async () => {
  const watched = await openPage();
  await switchOn(watched);
  await lookAway(watched);
  const call = await ask("turn around");
  await expect
    .poll(() => made(watched.page))
    .toMatchObject([{ body: "touch [U+202E]back", isShown: true }]);
  await approve(call);
  expect(watched.trouble).toEqual(quiet);
});

test("nobody is notified who has not asked for it, who looks at the page, or of a call that was there before", async () => {
  const watched = await openPage();
  const { page } = watched;
  // It may notify, and was not asked to.
  const lookBack = await lookAway(watched);
  const first = await ask("touch one");
  await expect.poll(() => page.title()).toContain("(1)");
  expect(await made(page)).toEqual([]);
  // Now it was; the call that waits is no news.
  await lookBack();
  await switchOn(watched);
  const lookBackAgain = await lookAway(watched);
  await approve(first);
  await expect.poll(() => page.title()).not.toContain("(1)");
  await lookBackAgain();
  const second = await ask("touch two");
  await expect.poll(() => page.title()).toContain("(1)");
  expect(await made(page)).toEqual([]);
  await approve(second);
  expect(watched.trouble).toEqual(quiet);
});
