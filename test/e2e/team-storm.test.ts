import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { TeamClient } from "../../src/team/control/client.ts";
import { controlSocket } from "../../src/team/up.ts";
import type { TeamEvent } from "../../src/wire/team-events.ts";
import type { TeamRun } from "../support/team-stage.ts";
import { TeamStage } from "../support/team-stage.ts";

/** Few by default, so that a run stays short; a long storm takes STORM_ROUNDS=200. */
const ROUNDS = Number(process.env["STORM_ROUNDS"] ?? 4);
const ROUND_MS = 90_000;

const team = `
name: storm
lead: boss
timeouts: { stable: 0.001, linger: 30, task: 120 }
limits: { per_pair_per_minute: 1000, per_sender_per_minute: 1000 }
agents:
  boss: { description: leads, prompt: You lead. }
  coder: { description: codes, prompt: You code. }
`;

const victims = ["team", "coder host", "boss host", "coder cli", "boss cli", "all"] as const;
type Victim = (typeof victims)[number];

const hosts = (agent: string) => (command: string) =>
  command.includes("agent-socket") && command.includes(`/s/${agent}/`);

const clis = (agent: string) => (command: string) =>
  command.includes("stream-json") && command.includes(`/agents/${agent}/`);

function pidsOf(run: TeamRun, victim: Victim): number[] {
  const { stage, child } = run;
  const matching = (fits: (command: string) => boolean): number[] =>
    stage.processes().flatMap(({ pid, command }) => (fits(command) ? [pid] : []));
  switch (victim) {
    case "team":
      return [child.pid ?? 0];
    case "coder host":
      return matching(hosts("coder"));
    case "boss host":
      return matching(hosts("boss"));
    case "coder cli":
      return matching(clis("coder"));
    case "boss cli":
      return matching(clis("boss"));
    default:
      return [
        child.pid ?? 0,
        ...["boss", "coder"].flatMap((agent) => [
          ...matching(hosts(agent)),
          ...matching(clis(agent)),
        ]),
      ];
  }
}

/** Moments at which to strike, each told by an event. */
function moment(number: number, run: TeamRun, since: number, round: number): Promise<unknown> {
  const options = { since, withinMs: ROUND_MS };
  const { rehearsal } = run.stage;
  const request = () =>
    rehearsal.waitForEvent(
      (event) =>
        event.type === "request" &&
        event.request.agent === "coder" &&
        event.request.new_peer_texts.some((text) => text.includes(`part-${round} `)),
      ROUND_MS,
    );
  const moments: (() => Promise<unknown>)[] = [
    () =>
      run.until("message_sent", {
        ...options,
        fits: ({ message }) => message.from_agent === "user",
      }),
    () => run.until("message_moved", { ...options, fits: ({ step }) => step === "pushed" }),
    () => run.until("message_moved", { ...options, fits: ({ step }) => step === "seen" }),
    () => run.until("turn_started", { ...options, fits: ({ agent }) => agent === "boss" }),
    () =>
      run.until("message_sent", {
        ...options,
        fits: ({ message }) => message.from_agent === "boss",
      }),
    request,
    async () => delay(Math.random() * 300, await request()),
    () =>
      run.until("message_sent", {
        ...options,
        fits: ({ message }) => message.from_agent === "coder",
      }),
    () => run.until("turn_ended", { ...options, fits: ({ agent }) => agent === "coder" }),
    () => delay(Math.random() * 2500),
  ];
  return (moments[number % moments.length] ?? (() => delay(0)))();
}

/** Everything that the timeline holds. */
async function timeline(stage: TeamStage): Promise<TeamEvent[]> {
  await using client = await TeamClient.connect(controlSocket(stage.stateDir));
  const events: TeamEvent[] = [];
  client.listen((item) => {
    if (item.type !== "delta" && item.seq === events.length + 1) events.push(item);
  });
  const { last_seq } = (await client.request("attach", { since: 0 })) as { last_seq: number };
  const deadline = Date.now() + 20_000;
  while (events.length < last_seq && Date.now() < deadline) await delay(20);
  return events;
}

async function untilAnswered(stage: TeamStage, id: string): Promise<TeamEvent[]> {
  const deadline = Date.now() + ROUND_MS;
  let events: TeamEvent[] = [];
  while (Date.now() < deadline) {
    events = await timeline(stage);
    if (events.some((event) => event.type === "answered" && event.id === id)) return events;
    await delay(200);
  }
  const last = events
    .slice(-25)
    .map((event) => JSON.stringify(event))
    .join("\n");
  throw new Error(`${id} was not answered; the last events:\n${last}`);
}

async function strikeAt(cue: Promise<unknown>, run: TeamRun, victim: Victim): Promise<void> {
  await cue;
  for (const pid of pidsOf(run, victim)) strike(pid);
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

test(
  `whatever is killed and when, no message is lost or doubled (${ROUNDS} rounds)`,
  { timeout: ROUNDS * ROUND_MS + 120_000 },
  async () => {
    const stage = new TeamStage(team, "");
    const script = join(import.meta.dirname, "../fixtures/team/storm-script.mjs");
    let run = await stage.up({ script, ready: ["boss", "coder"] });
    const jobs: string[] = [];

    for (let round = 1; round <= ROUNDS + 1; round += 1) {
      // The last one is left in peace: its requests show what the conversations have come to.
      const victim = round > ROUNDS ? undefined : victims[(round - 1) % victims.length];
      const id = randomUUID();
      jobs.push(id);
      const since = run.told.length;
      const struck =
        victim === undefined
          ? undefined
          : strikeAt(moment((round * 7) % 10, run, since, round), run, victim);
      await using client = await run.connect();
      await client.request("send", { text: `job-${round} please`, id });
      await struck;
      if (victim === "team" || victim === "all") {
        await run.exited;
        run = await stage.up({ script, ready: [] });
        await run.until("team_started", { withinMs: 30_000 });
      }
      const events = await untilAnswered(stage, id);
      const answers = events.filter((event) => event.type === "answered" && event.id === id);
      expect(answers, `round ${round}, ${victim}`).toMatchObject([
        { text: `Done-${round}.`, failed: false },
      ]);
    }

    const events = await timeline(stage);
    const sent = events.flatMap((event) => (event.type === "message_sent" ? [event.message] : []));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    const lastWords = async (agent: string) =>
      JSON.stringify((await stage.requests(agent)).at(-1)?.body?.messages);
    const [boss, coder] = [await lastWords("boss"), await lastWords("coder")];
    for (const { id, from_agent, to_agent, content } of sent) {
      const words = to_agent === "boss" ? boss : coder;
      const copies =
        from_agent === "user"
          ? countOf(words, content)
          : countOf(words, `message id: ${id}`) + countOf(words, `(message ${id})`);
      expect(copies, `${from_agent} → ${to_agent}: ${content} (${id})`).toBe(1);
    }
    expect(orderOf(boss, /job-(\d+) please/g)).toEqual(jobs.map((_, index) => index + 1));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const { out } = await stage.run("status", "--json", "--state-dir", stage.stateDir);
    expect(JSON.parse(out)).toMatchObject({ open_tasks: 0, dead_letters: 0 });

    await stage.run("down", "--state-dir", stage.stateDir);
    await run.exited;
    expect(stage.processes()).toEqual([]);
    expect(stage.sockets()).toEqual([]);
    const db = new DatabaseSync(join(stage.stateDir, "bus.db"));
    expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    db.close();
  },
);

function strike(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

const orderOf = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));
