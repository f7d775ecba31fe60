import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { TeamClient } from "../../src/team/core.ts";
import { TeamView } from "../../src/team/core.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { openCall, storyScript, storyTeam, until } from "./support/story.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
let watched: WatchedPage;
let client: TeamClient;
let page: Page;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(storyTeam, storyScript), startChromium()]);
  client = await team.client();
  await client.request("send", { text: "build it" });
}, 120_000);
afterAll(async () => {
  await client?.close();
  await browser?.close();
  await team?.stop();
});
beforeEach(async () => {
  watched = await WatchedPage.open(browser, await team.link());
  ({ page } = await watched.live());
  page.setDefaultTimeout(10_000);
});
afterEach(async () => {
  const { trouble } = watched;
  await watched[Symbol.asyncDispose]();
  deepStrictEqual(trouble, quiet);
});

const board = (): Locator => page.getByRole("region", { name: "Cord board" });
const lines = (): Locator => page.getByRole("region", { name: "Lines" });
const litLamps = (): Locator => board().locator("[data-lit=true]");
const key = (name: string): Locator => page.getByRole("button", { name, exact: true });

/** The cells of a table, row by row. */
const cellsOf = (table: Locator): Promise<string[][]> =>
  table
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? "").trim())),
    );

async function allEvents(): Promise<readonly TeamEvent[]> {
  return (await client.request("timeline", { after: 0, limit: 1000 })).events;
}

/** Everything of the story has happened. */
async function ended(): Promise<void> {
  const { approvals } = await client.request("approvals", {});
  for (const { request } of approvals) {
    await client.request("approve", { request_id: request.request_id });
  }
  await until(
    async () => [
      (await client.request("tasks", {})).tasks,
      (await client.request("dead_letters", {})).dead_letters,
      (await client.request("status", {})).agents.map(({ state }) => state),
    ],
    ([tasks = [], dead = [], states = []]) =>
      tasks.length === 0 && dead.length === 1 && states.every((state) => state === "ready"),
  );
}

test("the board lights the lamp of the one agent that wants a person, and shows its cords as a picture and as lists", async () => {
  await openCall(client);
  await until(
    async () => (await client.request("status", {})).agents.find(({ id }) => id === "boss")?.state,
    (state) => state === "ready",
  );
  await watched.visit("/board");
  await litLamps().waitFor();
  // Nobody else is wanted, whatever they do.
  const lit = litLamps().locator("xpath=ancestor::a");
  expect(await lit.evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
    "/a/coder",
  ]);
  const jacks = board().locator("a:has(svg)");
  expect(await jacks.evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
    "/talk",
    "/a/boss",
    "/a/coder",
    "/a/tester",
    "/a/spare",
  ]);
  const names = await board()
    .getByRole("button", { name: /^Message from/ })
    .evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
  const held = "Message from boss to coder: write the part. Being worked on";
  const waiting = "Message from boss to tester: test the part. Not delivered yet";
  expect(names).toContain(held);
  expect(names).toContain(waiting);

  // The plug: the middle of a bent cord is beside it.
  await board().getByRole("button", { name: waiting }).locator("circle").click();
  const ticket = board().getByRole("region", { name: "Message" });
  await ticket.getByText("boss → tester · normal priority").waitFor();
  expect(await ticket.innerText()).toContain("not seen yet");
  expect(await ticket.getByRole("link").allInnerTexts()).toEqual(["Open the message"]);

  await key("List").click();
  const agents = await cellsOf(board().getByRole("table", { name: "Agents" }));
  expect(agents.map(([name, state]) => [name, state])).toEqual([
    ["boss", "ready"],
    ["coder", "! waits for you"],
    ["tester", "ready"],
    ["spare", "ready"],
  ]);
  const onWay = await cellsOf(board().getByRole("table", { name: "Messages on their way" }));
  expect(onWay.map(([from, to, state, , words]) => [from, to, state, words])).toEqual(
    expect.arrayContaining([
      ["boss", "coder", "Being worked on", "write the part"],
      ["boss", "tester", "Not delivered yet", "test the part"],
    ]),
  );
});

test("tasks stand in their columns and as a tree of parts, with what they wait for", async () => {
  await openCall(client);
  await watched.visit("/tasks");
  const column = (name: string): Locator => page.getByRole("region", { name, exact: true });
  await column("submitted").getByRole("link", { name: "test the part" }).waitFor();
  expect(await column("submitted").innerText()).toContain("waits for: write the part");
  await column("ended").getByText("none").waitFor();

  await key("As a tree").click();
  const whole = page.getByRole("listitem").filter({ hasText: "build it" }).first();
  const parts = whole.locator("ul > li");
  expect(await parts.getByRole("heading").allInnerTexts()).toEqual(
    expect.arrayContaining(["write the part", "test the part"]),
  );
  // A part has no parts.
  expect(await whole.locator("ul ul").count()).toBe(0);

  await parts.getByRole("link", { name: "write the part" }).click();
  await page.getByRole("heading", { level: 1, name: "write the part" }).waitFor();
  await page
    .getByRole("region", { name: "Part of" })
    .getByRole("link", { name: "build it" })
    .waitFor();
  await page
    .getByRole("region", { name: "Waited for by" })
    .getByRole("link", { name: "test the part" })
    .waitFor();
});

test("what a person decides puts the lamp out, and the tasks end on the page without a reload", async () => {
  await openCall(client);
  await watched.visit("/board");
  await litLamps().waitFor();
  await ended();
  await expect.poll(() => litLamps().count()).toBe(0);
  await watched.visit("/tasks");
  const column = page.getByRole("region", { name: "ended", exact: true });
  await column.getByRole("link", { name: "test the part" }).waitFor();
  const { tasks } = await client.request("tasks", { all: true });
  expect((await column.getByRole("heading", { level: 3 }).allInnerTexts()).toSorted()).toEqual(
    tasks.map(({ title }) => title).toSorted(),
  );
  expect(watched.loads).toBe(1);
});

test("the line of a message is as wide as its latency, and the list tells the same lengths", async () => {
  await ended();
  const events = await allEvents();
  const seen = new Map(
    events.flatMap((event) =>
      event.type === "message_moved" && event.step === "seen" ? [[event.id, event.at]] : [],
    ),
  );
  const sent = events.flatMap((event) => (event.type === "message_sent" ? [event] : []));
  const latency = (words: string): number => {
    const { at, message } = sent.find((event) => event.message.content === words)!;
    return Date.parse(seen.get(message.id) ?? "") - Date.parse(at);
  };
  await watched.visit("/board");
  const message = lines().locator("g[data-open] path:last-of-type");
  await message.first().waitFor({ state: "attached" });
  const width = async (words: string): Promise<number> => {
    const { message: one } = sent.find((event) => event.message.content === words)!;
    const thread = lines().locator(`g[data-open][data-key*="${one.id}"] path`).first();
    const [, from = "", to = ""] = /^M([\d.]+) .*L([\d.]+) /.exec(
      (await thread.getAttribute("d")) ?? "",
    )!;
    return Number(to) - Number(from);
  };
  const answered = events.filter(({ type }) => type === "answered").length;
  const slow = latency("test the part");
  // It has waited for the coder, who has waited for a person.
  expect(slow).toBeGreaterThan(latency("write the part"));
  const scale = (await width("test the part")) / slow;
  expect(scale).toBeGreaterThan(0);
  expect((await width("write the part")) / scale).toBeCloseTo(latency("write the part"), -2);
  // A turn has the same scale.
  const turns = events.filter(({ type }) => type === "turn_started" || type === "turn_ended");
  const ofCoder = turns.filter((event) => "agent" in event && event.agent === "coder");
  const length = Date.parse(ofCoder[1]!.at) - Date.parse(ofCoder[0]!.at);
  const bar = lines().locator(`rect[data-key="t${ofCoder[0]!.seq}"]`);
  const wide = Number(await bar.getAttribute("width"));
  expect(wide / scale / length).toBeCloseTo(1, 1);

  await key("List").click();
  const rows = await cellsOf(lines().getByRole("table", { name: "Lines" }));
  const [, , , told = ""] =
    rows.find(([, who, kind]) => who === "boss → tester" && kind === "message") ?? [];
  expect(told).toMatch(/^[\d.]+ s$/);
  expect(Number.parseFloat(told)).toBeCloseTo(slow / 1000, 0);
  expect(rows.filter(([, , kind]) => kind === "message")).toHaveLength(sent.length + answered);
  expect(rows.filter(([, , kind]) => kind === "turn")).toHaveLength(turns.length / 2);
  expect(rows.filter(([, , kind]) => kind === "wait")).toHaveLength(1);
});

test("mail is filtered and sorted, its chart has a table, and its files are those of the command line", async () => {
  await ended();
  await watched.visit("/mail");
  const table = page.getByRole("table", { name: "Mail", exact: true });
  await table.waitFor();
  const { entries } = await client.request("log", { limit: 1000 });
  await expect.poll(async () => (await cellsOf(table)).length).toBe(entries.length);
  // The chart, and what it says in words.
  await page.locator("figure canvas").first().waitFor();
  await page.getByText("The same as a table").click();
  const figures = await cellsOf(page.getByRole("table", { name: "Messages over time" }));
  const counted = figures.reduce((sum, [, count]) => sum + Number(count), 0);
  const failures = figures.reduce((sum, [, , failed]) => sum + Number(failed), 0);
  expect(counted).toBe(entries.length);
  expect(failures).toBe(entries.filter(({ success }) => !success).length);
  expect(failures).toBeGreaterThan(0);

  const sender = page.locator("label").filter({ has: page.getByText("From", { exact: true }) });
  await sender.locator("select").selectOption("tester");
  const ofTester = entries.filter(({ from_agent }) => from_agent === "tester");
  await expect.poll(async () => (await cellsOf(table)).length).toBe(ofTester.length);
  expect(new Set((await cellsOf(table)).map(([, from]) => from))).toEqual(new Set(["tester"]));
  await sender.locator("select").selectOption("");
  await page.getByLabel(/Words in the message/).fill("hurry");
  await expect
    .poll(async () => new Set((await cellsOf(table)).map(([, from, to]) => `${from} ${to}`)))
    .toEqual(new Set(["boss coder"]));
  await page.getByLabel(/Words in the message/).fill("");
  await expect.poll(async () => (await cellsOf(table)).length).toBe(entries.length);

  await table.getByRole("button", { name: "Bytes" }).click();
  const sizes = async (): Promise<number[]> =>
    (await cellsOf(table)).map((cells) => Number(cells[4]?.replaceAll(/\D/g, "")));
  const down = (await sizes()).toSorted((a, b) => b - a);
  const first = await sizes();
  expect([down, down.toReversed()]).toContainEqual(first);
  await table.getByRole("button", { name: "Bytes" }).click();
  expect(await sizes()).toEqual(
    first.toReversed().toSorted((a, b) => (first[0] === down[0] ? a - b : b - a)),
  );

  expect(await download("Save as CSV")).toBe(
    `${(await team.cli("log", "--csv", "--since", "24h")).out}\r\n`,
  );
  expect(JSON.parse(await download("Save as JSON"))).toEqual(entries.toReversed());
});

async function download(name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), key(name).click()]);
  return readFileSync(await file.path(), "utf8");
}

test("spend shows each account with its limit, and the days as bars and as a table", async () => {
  await ended();
  const { budgets } = await client.request("budgets", {});
  await watched.visit("/spend");
  const accounts = page.getByRole("table", { name: "Budgets" });
  await accounts.waitFor();
  const rows = await cellsOf(accounts);
  expect(rows).toHaveLength(budgets.length);
  const row = (name: string): string[] => rows.find(([account]) => account === name) ?? [];
  expect(row("Team")[1]).toContain("of $100");
  expect(row("tester")[3]).toContain("1 of 1 · used up");
  const ofBoss = budgets.find(({ id }) => id === "boss")!.spent;
  expect(row("boss").slice(2)).toEqual([
    ofBoss.tokens.toLocaleString("en"),
    ofBoss.turns.toLocaleString("en"),
  ]);
  const meter = accounts.locator("tr").filter({ hasText: "tester" }).locator("meter");
  expect(await meter.getAttribute("data-over")).toBe("true");
  const days = await cellsOf(page.getByRole("table", { name: "Cost by day and agent" }));
  const turns = (await allEvents()).filter(({ type }) => type === "turn_ended").length;
  expect(days.map(([, , , count]) => count)).toEqual([String(turns)]);
});

test("the scrubber shows the team as it was after any event, and comes back to now", async () => {
  await ended();
  const events = await allEvents();
  const asked = events.find(({ type }) => type === "approval_requested")!.seq;
  const last = events.at(-1)!.seq;
  const places = [1, Math.floor(asked / 2), asked - 1, asked, asked + 1, last - 1];
  for (const at of places) {
    await watched.visit(`/board?at=${at}`);
    await page.getByText("Replay · nothing here is live").waitFor();
    const view = new TeamView();
    for (const event of events) if (event.seq <= at) view.apply(event);
    const expected = ["boss", "coder", "tester", "spare"].map((id) => [
      id,
      view.agents.get(id)?.state ?? "stopped",
    ]);
    await key("List").click();
    const table = board().getByRole("table", { name: "Agents" });
    await expect
      .poll(async () => {
        const states = await table
          .locator("tbody tr")
          .evaluateAll((rows) =>
            rows.map((row) => [
              row.querySelector("th")?.textContent,
              row.querySelector("[data-state]")?.getAttribute("data-state"),
            ]),
          );
        return { at, states };
      })
      .toEqual({ at, states: expected });
    await key("Picture").click();
    await expect.poll(() => litLamps().count()).toBe(view.approvals.size);
  }
  // By hand: to the beginning, one on, and back to now.
  const slider = page.getByRole("slider", { name: "Event" });
  await slider.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => page.url()).toMatch(/\?at=1$/);
  await key("One event on").click();
  await expect.poll(() => page.url()).toMatch(/\?at=2$/);
  await key("Live").click();
  await expect.poll(() => page.url()).toMatch(/\/board$/);
  await page.getByText("Replay · nothing here is live").waitFor({ state: "detached" });
  // It has read, and done nothing.
  expect((await allEvents()).at(-1)!.seq).toBe(last);
});
