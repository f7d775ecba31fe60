import { deepStrictEqual } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionClient } from "../../src/client/session-client.ts";
import type { SessionEvent } from "../../src/wire/index.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { startChromium } from "./support/chromium.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Line ${at} of the tale.`).join(" ");

const script = `
rules:
  - when: { user: '/^tell (\\w+)/' }
    text: "${lines(60)} End of $1."
    delta_delay_ms: 10
  - when: { user: '/^slow (\\w+)/' }
    text: "Slow $1 begins. ${lines(400)} End of $1."
    delta_delay_ms: 100
  - when: { user: '/^touch (\\w+)/' }
    tools:
      - { name: Bash, input: { command: "touch $1" } }
  - when: { user: work long }
    tools:
      - { name: Bash, input: { command: "tail -f /dev/null" } }
  - when: { tool_result: Bash }
    text: That is done.
default: { text: "Very well: \${user}" }
`;

let session: BrowserSession;
let browser: Browser;
let watched: WatchedPage;
let client: SessionClient;
let page: Page;
beforeAll(async () => {
  const tail = ["--allowed-tools", "Bash(tail *)"];
  [session, browser] = await Promise.all([
    BrowserSession.start(script, { flags: tail }),
    startChromium(),
  ]);
  writeFileSync(join(session.work, "harbour.txt"), "boats\n");
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
});
beforeEach(async () => {
  client = await session.client();
  watched = await WatchedPage.open(browser, await session.link());
  await watched.live();
  ({ page } = watched);
  page.setDefaultTimeout(20_000);
  await log().waitFor();
});
afterEach(async () => {
  deepStrictEqual(watched.trouble, quiet);
  await watched[Symbol.asyncDispose]();
  await client.close();
});

const log = () => page.getByRole("log");
const composer = () => page.locator("form textarea");
const stopKey = () => page.getByRole("button", { name: /^Stop/ });
const queue = () =>
  page.getByRole("listitem").filter({ has: page.getByRole("button", { name: "Drop" }) });

/** Writes and sends as a person does. */
async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press("Enter");
}

/** All events of the log, oldest first. */
async function allEvents(): Promise<readonly SessionEvent[]> {
  const pages: SessionEvent[][] = [];
  for (let before: number | undefined; before !== 1;) {
    const { events, more } = await client.history({
      limit: 400,
      ...(before !== undefined && { before }),
    });
    pages.unshift([...events]);
    before = more ? events[0]?.seq : 1;
  }
  return pages.flat();
}

/** How the newest turn ended. */
async function stopReason(): Promise<string | undefined> {
  const last = (await client.history({ limit: 50 })).events.findLast(({ type }) => type === "done");
  return last?.type === "done" ? last.stop_reason : undefined;
}

const queued = async (): Promise<number> => (await client.status()).queued.length;

test("what is sent is answered as it streams, and a draft stays over a reload", async () => {
  await say("tell one");
  await expect.poll(() => composer().inputValue()).toBe("");
  await log().getByText("tell one").waitFor();
  await log().getByText("Line 3 of").last().waitFor();
  // The end is not there yet: it streams.
  expect(await log().getByText("End of one.").count()).toBe(0);
  await log().getByText("End of one.").waitFor();
  const text = (await log().innerText()).replaceAll(/\s+/g, " ");
  expect(text).toContain(`${lines(60)} End of one.`);

  await composer().fill("half a thought");
  await page.waitForTimeout(400);
  await page.reload();
  await watched.live();
  await expect.poll(() => composer().inputValue()).toBe("half a thought");
  await log().getByText("End of one.").waitFor();
  await composer().fill("");
});

test("Stop ends the turn in a text, in a tool and in a request for permission", async () => {
  await say("slow two");
  await log().getByText("Slow two begins.").waitFor();
  await stopKey().click();
  await stopKey().waitFor({ state: "detached" });
  expect(await stopReason()).toBe("aborted");

  await say("work long");
  await expect
    .poll(async () => (await allEvents()).findLast(({ type }) => type === "tool_use")?.type)
    .toBe("tool_use");
  await stopKey().click();
  await stopKey().waitFor({ state: "detached", timeout: 20_000 });
  expect(await stopReason()).toBe("aborted");

  await say("touch stopped");
  await log().locator("[data-call]").waitFor();
  await stopKey().click();
  await log().locator("[data-call]").waitFor({ state: "detached" });
  await stopKey().waitFor({ state: "detached" });
  expect(await stopReason()).toBe("aborted");
  expect(existsSync(join(session.work, "stopped"))).toBe(false);
  await log().getByText("stopped by a person").nth(2).waitFor();
});

test("messages wait in the queue, and are dropped, changed and sent at once from there", async () => {
  await say("slow three");
  await log().getByText("Slow three begins.").waitFor();
  await page.getByRole("radio", { name: "later" }).check();
  for (const text of ["drop me", "change me", "take me now"]) await say(text);
  await expect.poll(queued).toBe(3);
  await queue().nth(2).waitFor();
  await queue().filter({ hasText: "drop me" }).getByRole("button", { name: "Drop" }).click();
  await expect.poll(() => queue().count()).toBe(2);
  expect(await queued()).toBe(2);
  await queue().filter({ hasText: "change me" }).getByRole("button", { name: "Change" }).click();
  await expect.poll(() => composer().inputValue()).toBe("change me");
  await expect.poll(queued).toBe(1);
  await queue().filter({ hasText: "take me now" }).getByRole("button", { name: "Now" }).click();
  // It cuts the running turn short.
  await log().getByText("Very well: take me now").waitFor();
  expect(await queued()).toBe(0);
  expect(await log().getByText("End of three.").count()).toBe(0);
  await composer().fill("");
  // Nobody has answered what was dropped or taken back.
  const answered = (await log().innerText()).match(/Very well: (drop|change) me/g);
  expect(answered).toBe(null);
});

test("the lists of commands and of files complete what is typed, and Enter there sends nothing", async () => {
  await composer().pressSequentially("/comp");
  const commands = page.getByRole("listbox", { name: "Commands" });
  await commands.getByRole("option", { name: /^\/compact/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => composer().inputValue()).toBe("/compact ");
  await composer().fill("");
  await composer().pressSequentially("look at @harb");
  const files = page.getByRole("listbox", { name: "Files" });
  await files.getByRole("option", { name: "harbour.txt" }).waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => composer().inputValue()).toBe("look at @harbour.txt ");
  await composer().fill("");
  const { events } = await client.history({ limit: 20 });
  const sent = events.filter(
    (event) => event.type === "user_message" && /comp|harb/.test(JSON.stringify(event.text ?? "")),
  );
  expect(sent).toEqual([]);
});

test("the exports as JSON and as Markdown have what the log has", async () => {
  await client.send("tell export");
  await log().getByText("End of export.").waitFor();
  await stopKey().waitFor({ state: "detached" });
  const events = await allEvents();
  expect(JSON.parse(await exported("JSON"))).toEqual(events);
  const markdown = await exported("Markdown");
  const places = events.flatMap((event) =>
    event.type === "user_message" && typeof event.text === "string"
      ? [markdown.indexOf(`${event.at}\n\n${event.text}`)]
      : [],
  );
  expect(places.length).toBeGreaterThan(0);
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(markdown).toContain(`${lines(60)} End of export.`);
});

/** What the page saves in this form. */
async function exported(form: string): Promise<string> {
  await page.getByText("Export", { exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: form, exact: true }).click(),
  ]);
  return readFileSync(await file.path(), "utf8");
}
