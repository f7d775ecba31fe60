import { deepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connectSession } from "../../src/client/connect-session.ts";
import type { TeamClient } from "../../src/team/core.ts";
import type { AgentStatus } from "../../src/wire/team/agent-status.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { until } from "./support/story.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

// What a person does to a team on its page, and what then becomes of the real one.

const without = `
name: acts
lead: boss
confirm_roles: false
limits: { failed_starts: 1 }
timeouts: { idle: 3600 }
agents:
  boss: { description: leads the work, prompt: You lead. }
  coder: { description: writes programs, prompt: You write., may_message: [boss] }
`;
const yaml = `${without}  ghost: { description: goes away, prompt: You go., may_message: [boss] }\n`;

const send = (to: string, content: string, more = ""): string =>
  `[{ name: mcp__team__send_message, input: { to: ${to}, content: "${content}"${more} } }]`;

const script = `
rules:
  - when: { agent: boss, user: '/^slow/' }
    text: "${Array.from({ length: 600 }, (_, at) => `Line ${at}.`).join(" ")}"
    delta_delay_ms: 100
  - when: { agent: boss, user: '/^ask (\\w+) (.+) in time/' }
    tools: ${send("$1", "$2", ", metadata: { ttl: 1 }")}
  - when: { agent: boss, user: '/^ask (\\w+) (.+)/' }
    tools: ${send("$1", "$2")}
  - when: { agent: coder, peer: go past }
    tools: ${send("ghost", "past the boss")}
default: { text: Very well. }
`;

let team: BrowserTeam;
let browser: Browser;
let watched: WatchedPage;
let client: TeamClient;
let page: Page;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(yaml, script), startChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});
beforeEach(async () => {
  client = await team.client();
  watched = await WatchedPage.open(browser, await team.link());
  ({ page } = await watched.live());
  page.setDefaultTimeout(20_000);
});
afterEach(async () => {
  const { trouble } = watched;
  await watched[Symbol.asyncDispose]();
  await client.close();
  deepStrictEqual(trouble, quiet);
});

const part = (name: string): Locator => page.getByRole("region", { name, exact: true });
const key = (within: Locator, name: string): Locator =>
  within.getByRole("button", { name, exact: true });

/** A deed that cannot be taken back is asked about, and the question is deaf for a moment. */
async function confirm(within: Locator, name: string, yes: string): Promise<void> {
  await key(within, name).click();
  await page.waitForTimeout(600);
  await key(within, yes).click();
}

const agent = async (id: string): Promise<AgentStatus> =>
  (await client.request("status", {})).agents.find((each) => each.id === id)!;

const inState = (id: string, state: AgentStatus["state"]): Promise<AgentStatus> =>
  until(
    () => agent(id),
    (status) => status.state === state,
  );

function isAlive(pid = 0): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("papers stop, start, hibernate and restart the real process of an agent", async () => {
  const { pid: first } = await inState("coder", "ready");
  expect(isAlive(first)).toBe(true);
  await watched.visit("/a/coder/papers");
  const acts = part("Process");
  await confirm(acts, "Stop", "Stop it");
  await acts.getByText("stopped").waitFor();
  expect((await inState("coder", "stopped")).pid).toBe(undefined);
  await expect.poll(() => isAlive(first)).toBe(false);
  // What cannot be done to a stopped agent is not offered.
  expect(await acts.getByRole("button").allInnerTexts()).toEqual(["Start"]);

  await key(acts, "Start").click();
  const { pid: second } = await inState("coder", "ready");
  expect(isAlive(second)).toBe(true);
  await key(acts, "Hibernate").click();
  await acts.getByText("asleep").waitFor();
  expect((await inState("coder", "hibernated")).pid).toBe(undefined);
  await expect.poll(() => isAlive(second)).toBe(false);

  await key(acts, "Start").click();
  const { pid: third } = await inState("coder", "ready");
  // One failed start is one too many here: the agent is kept apart.
  process.kill(third ?? 0, "SIGKILL");
  await inState("coder", "quarantined");
  await acts.getByText("quarantined").waitFor();
  await key(acts, "Restart").click();
  const { pid: fourth } = await inState("coder", "ready");
  expect(isAlive(fourth)).toBe(true);
  expect(new Set([first, second, third, fourth]).size).toBe(4);
});

const openNotices = async () => (await client.request("notices", {})).notices;

test("a notice stands on the page until a person has seen to it, once for all agents that it is about", async () => {
  const about = (await openNotices()).filter(({ agent: id }) => id === "coder");
  expect(about).not.toEqual([]);
  await watched.visit("/lost");
  const notice = part("Open notices").getByRole("listitem").filter({ hasText: "quarantine" });
  await notice.getByRole("link", { name: "coder" }).waitFor();
  expect(await notice.count()).toBe(1);
  await key(notice, "Seen to").click();
  await notice.waitFor({ state: "detached" });
  expect((await openNotices()).filter(({ message }) => /quarantine/.test(message))).toEqual([]);
});

test("papers end the turn that runs, and the process lives on; the mode that they set is the session's", async () => {
  const { pid } = await inState("boss", "ready");
  await watched.visit("/a/boss/papers");
  const acts = part("Process");
  expect(await key(acts, "Abort the turn").count()).toBe(0);
  const from = client.init.last_seq;
  await client.request("send", { text: "slow" });
  await confirm(acts, "Abort the turn", "End the turn");
  const { events } = await until(
    () => client.request("timeline", { after: from, types: ["turn_ended"] }),
    (read) => read.events.length > 0,
  );
  expect(events).toMatchObject([{ agent: "boss", stop_reason: "aborted" }]);
  expect((await inState("boss", "ready")).pid).toBe(pid);

  const now = part("Now");
  await now.getByLabel(/^Mode(?!l)/).selectOption("acceptEdits");
  expect((await agent("boss")).mode).toBe("default");
  await key(now, "Apply").click();
  await expect.poll(async () => (await agent("boss")).mode).toBe("acceptEdits");
});

/** The team has written down that somebody has said this to the agent. */
const sent = (to: string, content: string): Promise<unknown> =>
  until(
    () => client.request("timeline", { types: ["message_sent"] }),
    ({ events }) =>
      events.some(
        (event) =>
          event.type === "message_sent" &&
          event.message.to_agent === to &&
          event.message.content === content,
      ),
  );

/** Asks for something that the coder, who is stopped, cannot get in its time. */
async function loseMessages(...contents: string[]): Promise<void> {
  await client.request("stop", { agent: "coder" });
  for (const content of contents) {
    await client.request("send", { text: `ask coder ${content} in time` });
  }
  for (const content of contents) await sent("coder", content);
  await page.waitForTimeout(1_200);
  await client.request("start", { agent: "coder" });
  await until(
    () => client.request("dead_letters", {}),
    (read) => read.dead_letters.length === contents.length,
  );
}

test("a dead letter is sent again, and then arrives; another is discarded; a refusal stands with its rule", async () => {
  await loseMessages("first words", "other wordings");
  await watched.visit("/lost");
  const letters = part("Dead letters");
  const letter = (words: string): Locator =>
    letters.getByRole("listitem").filter({ hasText: words });
  await letter("first words").getByText("expired").waitFor();
  await letter("other wordings").waitFor();
  const dead = (await client.request("dead_letters", {})).dead_letters;
  const idOf = (words: string): string =>
    dead.find(({ message }) => message.content === words)!.message.id;

  await key(letter("first words"), "Send again").click();
  await letter("first words").waitFor({ state: "detached" });
  const [again] = (await client.request("dead_letters", { id: idOf("first words") })).dead_letters;
  expect(again).toMatchObject({ fate: "resent" });
  const arrived = await until(
    () => client.request("message", { id: again?.resent_as ?? "" }),
    ({ answers }) => answers.length > 0,
  );
  expect(arrived).toMatchObject({ message: { content: "first words" }, state: "done" });

  await confirm(letter("other wordings"), "Discard", "Discard it");
  await letter("other wordings").waitFor({ state: "detached" });
  await letters.getByText("No message was given up.").waitFor();
  const [gone] = (await client.request("dead_letters", { id: idOf("other wordings") }))
    .dead_letters;
  expect(gone).toMatchObject({ fate: "discarded", resent_as: null });
  await key(letters, "Also those that were dealt with").click();
  await letter("first words").getByText("sent again").waitFor();
  await letter("other wordings").getByText("discarded").waitFor();

  await client.request("send", { text: "ask coder go past" });
  const refused = page.getByRole("table", { name: "Refused messages" });
  const row = refused.getByRole("row").filter({ hasText: "coder → ghost" });
  await row.waitFor();
  expect(await row.getByRole("rowheader").innerText()).toBe("not_allowed");
  expect(await row.getByRole("cell").nth(1).innerText()).toBe("1");
});

test("what waits for the lead is dropped from the page, in the team and in the session's queue, and its turn goes on", async () => {
  const { socket = "" } = await inState("boss", "ready");
  await using session = await connectSession(socket, { name: "bob" });
  const from = client.init.last_seq;
  await client.request("send", { text: "slow" });
  await watched.visit("/talk");
  await page
    .getByRole("log")
    .getByText(/Line 3\./)
    .last()
    .waitFor();
  const { id: inTeam } = await client.request("send", { text: "for the team" });
  const inSession = randomUUID();
  await session.send("for the session", { id: inSession, priority: "later" });
  const row = (words: string): Locator =>
    page
      .getByRole("listitem")
      .filter({ hasText: words })
      .filter({ has: page.getByText("Drop") });
  for (const words of ["for the team", "for the session"]) {
    await key(row(words), "Drop").click();
    await row(words).waitFor({ state: "detached" });
  }
  expect((await session.status()).queued).toEqual([]);
  for (const id of [inTeam, inSession]) {
    const { task } = await client.request("task", { id });
    expect(task).toMatchObject({ from_agent: "user", state: "canceled" });
  }
  // What is to be changed leaves the team and stands in the field; what is to be read now is sent anew.
  const { id: changed } = await client.request("send", { text: "say it better" });
  await key(row("say it better"), "Change").click();
  const composer = page.locator("form textarea");
  await expect.poll(() => composer.inputValue()).toBe("say it better");
  await row("say it better").waitFor({ state: "detached" });
  expect((await client.request("task", { id: changed })).task).toMatchObject({ state: "canceled" });
  await composer.fill("");
  const turns = await client.request("timeline", { after: from, types: ["turn_ended"] });
  expect(turns.events).toEqual([]);
  expect((await client.request("dead_letters", {})).dead_letters).toEqual([]);
  await client.request("abort", { agent: "boss" });
  await inState("boss", "ready");
});

test("a dead letter to an agent that has left is refused, stays, and the page says why", async () => {
  await client.request("stop", { agent: "ghost" });
  await client.request("send", { text: "ask ghost to come back" });
  await sent("ghost", "to come back");
  await client.close();
  await team.down();
  team.rewrite(without);
  await team.up();
  client = await team.client();
  await watched[Symbol.asyncDispose]();
  watched = await WatchedPage.open(browser, await team.link());
  ({ page } = await watched.live());
  await watched.visit("/lost");
  const letter = part("Dead letters").getByRole("listitem").filter({ hasText: "to come back" });
  await key(letter, "Send again").click();
  await letter
    .getByRole("alert")
    .getByText(/ghost|agent/)
    .waitFor();
  const { dead_letters: dead } = await client.request("dead_letters", {});
  expect(dead).toMatchObject([{ fate: "open", message: { content: "to come back" } }]);
  await watched.visit("/a/ghost/papers");
  await page.getByText("This agent is not in the team any more.").waitFor();
});
