import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { TeamView } from "../../src/team/core.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { CuttableNetwork } from "./support/cuttable-network.ts";
import { lookAway } from "./support/look-away.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

const SLOW_MS = 240_000;
/** What the browser itself writes when a connection is refused or cut. */
const cut = [/WebSocket connection to/, /net::ERR_/, /Failed to load resource/];

let team: BrowserTeam;
let browser: Browser;
let watched: WatchedPage;
let network: CuttableNetwork;
let tales = 0;
beforeAll(async () => {
  network = await CuttableNetwork.open();
  const chromium = startChromium(...network.chromiumArgs);
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), chromium]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await network?.[Symbol.asyncDispose]();
  await team?.stop();
});
beforeEach(async () => {
  watched = await WatchedPage.open(browser, await team.link(), { allowed: cut });
  await watched.live();
  await watched.visit("/talk");
  await watched.page.getByRole("log").waitFor();
});
afterEach(() => watched[Symbol.asyncDispose]());

/** Begins an answer that streams for about two seconds. Returns its last words. */
async function tell(): Promise<string> {
  tales += 1;
  await using client = await team.client();
  await client.request("send", { text: `tell tale${tales}` });
  return `End of tale${tales}.`;
}

/** All is as if nothing had happened: the answer stands there once, whole and in order, and the page was not loaded again. */
const asIfNothing = { count: 1, loads: 1, isCalm: true, ...quiet };

async function stateAfter(end: string, cuts = 0): Promise<typeof asIfNothing> {
  const log = watched.page.getByRole("log");
  await log.getByText(end).waitFor({ timeout: 60_000 });
  await watched.live();
  const text = (await log.innerText()).replaceAll(/\s+/g, " ");
  const whole = Array.from({ length: 60 }, (_, at) => `Line ${at} of the tale.`).join(" ");
  const count = text.split(`${whole} ${end}`).length - 1;
  const isCalm = mostTries() <= 12 + cuts;
  return { count, loads: watched.loads, isCalm, ...watched.trouble };
}

/** The most tries of one of the page's sockets within ten seconds. */
function mostTries(): number {
  const byPath = Map.groupBy(watched.sockets, ({ path }) => path);
  const counts = [...byPath.values()].flatMap((opened) =>
    opened.map(
      ({ at: time }) => opened.filter(({ at }) => at >= time && at < time + 10_000).length,
    ),
  );
  return Math.max(...counts);
}

test("the gateway is killed in the middle of an answer", { timeout: SLOW_MS }, async () => {
  const end = await tell();
  await watched.page.getByText("Line 3 of").last().waitFor();
  process.kill(team.gatewayPid, "SIGKILL");
  expect(await stateAfter(end)).toEqual(asIfNothing);
});

test(
  "the host of the session is killed in the middle of an answer",
  { timeout: SLOW_MS },
  async () => {
    const end = await tell();
    await watched.page.getByText("Line 3 of").last().waitFor();
    await using client = await team.client();
    const { agents } = await client.request("status", {});
    process.kill(agents.find(({ lead }) => lead)?.pid ?? 0, "SIGKILL");
    // The turn that was cut is told as cut, or taken up again: the next one is whole in any case.
    await expect
      .poll(async () => (await client.request("status", {})).agents[0]?.state, { timeout: 60_000 })
      .toBe("ready");
    void end;
    expect(await stateAfter(await tell())).toEqual(asIfNothing);
  },
);

test("the team is killed and started again", { timeout: SLOW_MS }, async () => {
  await team.killTeam();
  await watched.page.getByText("Connection lost").first().waitFor();
  await team.up();
  expect(await stateAfter(await tell())).toEqual(asIfNothing);
});

test(
  "the network is away for some seconds in the middle of an answer",
  { timeout: SLOW_MS },
  async () => {
    const end = await tell();
    await watched.page.getByText("Line 3 of").last().waitFor();
    network.isDown = true;
    expect(network.cut()).toBeGreaterThan(0);
    await watched.page.getByText("Connection lost").first().waitFor();
    await delay(2_000);
    network.isDown = false;
    expect(await stateAfter(end)).toEqual(asIfNothing);
  },
);

test("the tab is hidden while an answer comes", { timeout: SLOW_MS }, async () => {
  const end = await tell();
  const lookBack = await lookAway(watched);
  await delay(3_000);
  expect(network.cut()).toBeGreaterThan(0);
  await lookBack();
  expect(await stateAfter(end)).toEqual(asIfNothing);
});

test("the page is frozen, and thaws", { timeout: SLOW_MS }, async () => {
  const cdp = await watched.cdp();
  const end = await tell();
  await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
  await delay(4_000);
  await cdp.send("Page.setWebLifecycleState", { state: "active" });
  expect(await stateAfter(end)).toEqual(asIfNothing);
});

test("fifty cuts of the network at random moments", { timeout: SLOW_MS }, async () => {
  let cuts = 0;
  let end = "";
  for (let round = 0; cuts < 50; round += 1) {
    if (round % 10 === 0) end = await tell();
    await delay(20 + ((round * 7919) % 500));
    if (network.cut() > 0) cuts += 1;
  }
  // A connection that was there and is cut is tried again at once, once.
  expect(await stateAfter(end, cuts)).toEqual(asIfNothing);
});

test(
  "fifty cuts while the board is shown: its list is the fold of the timeline",
  { timeout: SLOW_MS },
  async () => {
    const { page } = watched;
    await watched.visit("/board");
    await page.getByRole("button", { name: "List", exact: true }).click();
    await using client = await team.client();
    const asked: string[] = [];
    await client.follow({ since: client.init.last_seq }, (item) => {
      if (item.type !== "approval_requested") return;
      asked.push(item.request.request_id);
      void client.request("approve", { request_id: item.request.request_id });
    });
    let cuts = 0;
    for (let round = 0; cuts < 50; round += 1) {
      if (round % 10 === 0) await client.request("send", { text: `touch cut${round}` });
      await delay(20 + ((round * 7919) % 200));
      if (network.cut() > 0) cuts += 1;
    }
    await expect
      .poll(async () => (await client.request("tasks", {})).tasks.length, { timeout: 60_000 })
      .toBe(0);
    await watched.live();
    const { events } = await client.request("timeline", { after: 0, limit: 1000 });
    const view = new TeamView();
    for (const event of events) view.apply(event);
    const count = (type: TeamEvent["type"]): number =>
      events.filter((event) => event.type === type).length;
    const rowsOf = (name: string): Promise<string[][]> =>
      page
        .getByRole("table", { name, exact: true })
        .locator("tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
        );
    // The team is at rest, so nothing is on its way.
    await page.getByText("No message is on its way.").waitFor();
    const agents = (await rowsOf("Agents")).map(([id, state]) => [id, state]);
    expect(agents).toEqual([...view.agents].map(([id, { state }]) => [id, state]));
    for (const more = page.getByText("Show older ones"); (await more.count()) > 0;) {
      await more.click();
    }
    const kinds = (await rowsOf("Lines")).map(([, , kind]) => kind);
    const shown = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    expect({ turns: shown("turn"), waits: shown("wait"), messages: shown("message") }).toEqual({
      turns: count("turn_started"),
      waits: count("approval_requested"),
      messages: count("message_sent") + count("answered"),
    });
    expect(asked.length).toBeGreaterThan(0);
    expect(await page.locator("footer").innerText()).toContain(
      `event ${view.lastSeq.toLocaleString("en")}`,
    );
    expect({ loads: watched.loads, isCalm: mostTries() <= 12 + cuts, ...watched.trouble }).toEqual({
      loads: 1,
      isCalm: true,
      ...quiet,
    });
  },
);
