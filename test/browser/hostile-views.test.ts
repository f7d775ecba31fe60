import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TeamClient } from "../../src/team/core.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { noHarm, stateOf } from "./support/harmless.ts";
import { hostileLine, hostileScript, hostileTeam, lead, other } from "./support/hostile-story.ts";
import { sessionScreens, teamScreens } from "./support/screens.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { openCall, until } from "./support/story.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

const SLOW_MS = 240_000;
const harmless = { ...noHarm, ...quiet, loads: 1 };

let team: BrowserTeam;
let session: BrowserSession;
let browser: Browser;
let client: TeamClient;
beforeAll(async () => {
  [team, session, browser] = await Promise.all([
    BrowserTeam.start(hostileTeam, hostileScript),
    BrowserSession.start(hostileScript),
    startChromium(),
  ]);
  client = await team.client();
  await team.link("--viewer", "--for", "1h", "--name", hostileLine("person").slice(0, 60));
  await client.request("stop", { agent: "hasOwnProperty" });
  await client.request("send", { text: `mail ${hostileLine("task")}` });
  const refused = await until(
    () => client.request("timeline", { types: ["refused"] }),
    ({ events }) => events.length > 0,
  );
  // What was sent before has one second to live.
  const late = Date.parse(refused.events[0]?.at ?? "") + 1_200 - Date.now();
  await delay(Math.max(0, late));
  await client.request("start", { agent: "hasOwnProperty" });
  await until(
    () => client.request("dead_letters", {}),
    (read) => read.dead_letters.length > 0,
  );
  await until(
    () => client.request("timeline", { types: ["answered"] }),
    ({ events }) => events.length > 0,
  );
}, 120_000);
afterAll(async () => {
  await client?.close();
  await browser?.close();
  await session?.stop();
  await team?.stop();
});

/** The page has drawn all that the view shows first. */
async function drawn(page: Page, mark: RegExp): Promise<void> {
  await expect
    .poll(async () => mark.test(await page.locator("body").innerText()), { timeout: 20_000 })
    .toBe(true);
  await page.waitForTimeout(300);
}

/** What stands on a view, with the hidden characters by name. */
const named = /U\+202E/;

test(
  "on every view of a team hostile names, files, mail, tasks, calls and errors stay text that hides nothing",
  async () => {
    await client.request("send", { text: `calls ${hostileLine("task-2")}` });
    const call = await openCall(client);
    const { tasks } = await client.request("tasks", { all: true });
    const { entries } = await client.request("log", { limit: 100 });
    const task = tasks.find(({ parent }) => parent !== null)?.id ?? "";
    const toOther = entries.filter(({ to_agent: to }) => to === other);
    const message = toOther.find(({ message_size: size }) => size < 2_000)?.message_id ?? "";
    const long = toOther.find(({ message_size: size }) => size > 100_000)?.message_id ?? "";
    await using watched = await WatchedPage.open(browser, await team.link());
    await watched.live();
    const seq = client.init.last_seq + 5;
    const places = { agent: other, call, task, message, seq };
    const withNames = new Set([
      "board",
      "talk",
      "agent",
      "papers",
      "calls",
      "call",
      "tasks",
      "task",
    ]);
    for (const name of ["message", "lost", "spend", "settings"]) withNames.add(name);
    for (const { name, path } of teamScreens) {
      await watched.visit(path(places));
      await drawn(watched.page, withNames.has(name) ? named : /\S/);
      expect({ name, ...(await stateOf(watched)) }).toEqual({ name, ...harmless });
    }
    // What stands behind a click.
    await watched.visit(`/a/${lead}/papers`);
    await drawn(watched.page, /U\+202E[\s\S]*end-of-argument/);
    expect(await stateOf(watched)).toEqual(harmless);
    await watched.visit("/board");
    await watched.page.getByRole("button", { name: "List", exact: true }).click();
    await drawn(watched.page, /end-of-task|U\+202E/);
    expect(await stateOf(watched)).toEqual(harmless);
    await watched.visit(`/mail/${long}`);
    await drawn(watched.page, /x{1000}/);
    await watched.visit(`/a/${lead}`);
    await drawn(watched.page, named);
    for (const folded of await watched.page.locator("main details > summary").all()) {
      await folded.click().catch(() => undefined);
    }
    await drawn(watched.page, named);
    expect(await stateOf(watched)).toEqual(harmless);
    await watched.page.keyboard.press("Control+k");
    await watched.page.getByRole("combobox").fill("task");
    await drawn(watched.page, named);
    expect(await stateOf(watched)).toEqual(harmless);
  },
  SLOW_MS,
);

test(
  "hostile calls of a team, a question and a plan stay text on their tickets, and can be answered",
  async () => {
    await using watched = await WatchedPage.open(browser, await team.link());
    await watched.live();
    const { page } = watched;
    for (;;) {
      const { approvals } = await client.request("approvals", {});
      if (approvals.length === 0) {
        const { tasks } = await client.request("tasks", {});
        if (tasks.length === 0) break;
        await page.waitForTimeout(100);
        continue;
      }
      const id = approvals[0]!.request.request_id;
      await watched.visit(`/calls/${encodeURIComponent(id)}`);
      await drawn(page, named);
      expect(await stateOf(watched)).toEqual(harmless);
      await client.request("deny", { request_id: id, reason: hostileLine("because") });
    }
    await client.request("send", { text: "question" });
    const question = await openCall(client);
    await watched.visit(`/calls/${encodeURIComponent(question)}`);
    await drawn(page, named);
    expect(await stateOf(watched)).toEqual(harmless);
    // Names that every object has are no answers that somebody gave.
    const ticket = page.locator(`[data-call="${question}"]`);
    expect(await ticket.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await ticket.getByRole("checkbox", { checked: true }).count()).toBe(0);
    await ticket.locator("button:not([aria-disabled])").first().waitFor();
    await ticket.getByRole("radio", { name: /valueOf/ }).check();
    await ticket.getByRole("checkbox", { name: /hasOwnProperty/ }).check();
    await ticket.getByRole("button", { name: /^Answer/ }).click();
    const { events } = await until(
      () => client.request("timeline", { types: ["approval_resolved"] }),
      (read) => read.events.some((event) => "request_id" in event && event.request_id === question),
    );
    const decided = events.find((event) => "request_id" in event && event.request_id === question);
    expect(decided).toMatchObject({ outcome: "allowed", by: expect.any(String) });
    await watched.visit("/calls");
    await drawn(page, named);
    expect(await stateOf(watched)).toEqual(harmless);
  },
  SLOW_MS,
);

test(
  "on every view of a single session hostile words, thoughts, files, calls and answers stay text that hides nothing",
  async () => {
    await using talk = await session.client();
    await using watched = await WatchedPage.open(browser, await session.link());
    await watched.live();
    const { page } = watched;
    const next = async (): Promise<string> => {
      const { pending } = await until(
        () => talk.status(),
        (status) => status.pending.length > 0,
      );
      return pending[0]!.request_id;
    };
    for (const said of ["calls", "question", "plan"]) {
      if (said === "plan") await talk.setMode("plan");
      await talk.send(`${said} ${hostileLine("message")}`);
      const call = await next();
      for (const { name, path } of sessionScreens) {
        await watched.visit(path({ call }));
        await drawn(page, name === "session-settings" ? /\S/ : named);
        expect({ said, name, ...(await stateOf(watched)) }).toEqual({ said, name, ...harmless });
      }
      // An aborted turn would stand before the next message in the same request.
      await until(
        async () => {
          const { state, pending } = await talk.status();
          for (const { request_id: id } of pending) {
            await talk.deny(id, { reason: hostileLine("because") });
          }
          return state;
        },
        (state) => state === "idle",
      );
    }
    await watched.visit("/talk");
    await drawn(page, /end-of-message/);
    for (const folded of await page.locator("main details > summary").all()) {
      await folded.click().catch(() => undefined);
    }
    expect(await stateOf(watched)).toEqual(harmless);
    // What was found, and what the tab is called.
    await page.keyboard.press("Control+f");
    await page.getByRole("searchbox").fill("end-of");
    await page.getByText(/hits/).waitFor();
    expect(await stateOf(watched)).toEqual(harmless);
  },
  SLOW_MS,
);
