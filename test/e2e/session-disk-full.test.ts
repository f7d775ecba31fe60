import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import { Conversation } from "../support/conversation.ts";
import { copyFiles, keepEvidence, keepEvidenceOfTest } from "../support/evidence.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { conversationOf, copiesInLast, modelRequests } from "../support/requests.ts";
import type { SmallDisk } from "../support/small-disk.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { cliPidOf } from "../support/stage-processes.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a message that a full disk does not take runs when there is room, once", async (context) => {
  const disk = mountSmallDisk(context);
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  mkdirSync(join(disk.directory, "log"));
  symlinkSync(join(disk.directory, "log"), join(stage.configDir, "session-log"));
  const talk = await Conversation.start(stage);
  await talk.ask("hello");

  const makeRoom = disk.fill();
  const asked = modelRequests(stage).length;
  const message = { type: "message", id: "m1", text: `PROBE-1 ${"x".repeat(20_000)}` } as const;
  const refused = { code: "log_write_failed", retryable: true };
  await expect(talk.send(message)).rejects.toMatchObject(refused);
  await expect(talk.send(message)).rejects.toMatchObject(refused);
  expect(modelRequests(stage)).toHaveLength(asked);

  makeRoom();
  expect(await talk.endOf("m1")).toMatchObject({ stop_reason: "completed" });
  await talk.send(message);
  await talk.ask("bye");
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
  expect(talk.all("notice").map(({ code }) => code)).toContain("log_write_failed");
});

test("a call that the policy allows runs when there is room, if the disk was full as it was decided", async (context) => {
  const disk = mountSmallDisk(context);
  const stage = await setStage({
    rules: [
      { when: { tool_result: "/./" }, text: "It gave: ${tool_result}" },
      {
        when: { user: "go" },
        delay_ms: 2_000,
        delta_chars: 4_096,
        // Its events are larger than the room that the last page of the log has.
        tools: [{ name: "Bash", input: { command: `touch ${"ran ".repeat(5_000)}` } }],
      },
    ],
  });
  mkdirSync(join(disk.directory, "log"));
  symlinkSync(join(disk.directory, "log"), join(stage.configDir, "session-log"));
  const talk = await Conversation.start(stage, {
    policy: [{ tool: "Bash", match: "touch *", action: "allow" }],
  });
  const durable = vi.spyOn(talk.log, "durable");
  const refusals = () => durable.mock.settledResults.filter(({ type }) => type === "rejected");
  const id = await talk.say("go");
  await vi.waitFor(() => expect(modelRequests(stage)).toHaveLength(1), 30_000);
  const makeRoom = disk.fill();
  // The decision, and every attempt after it.
  await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(1), 30_000);
  expect(existsSync(join(stage.cwd, "ran"))).toBe(false);
  makeRoom();
  const { turn_id } = await talk.endOf(id);
  expect(talk.textOf(turn_id)).toContain("It gave:");
  expect(existsSync(join(stage.cwd, "ran"))).toBe(true);
  expect(talk.all("approval_resolved")).toMatchObject([
    { outcome: "allowed", rule: "1: allow Bash(touch *)" },
  ]);
});

/** A stage whose CLI keeps its files on the small disk. */
async function stageOn(
  disk: SmallDisk,
  script: Parameters<typeof setStage>[0] = { default: { text: "I am here." } },
): Promise<Stage> {
  disk.resize("16m");
  const stage = await setStage(script);
  const configDir = join(disk.directory, "config");
  mkdirSync(configDir);
  return { ...stage, configDir, env: { ...stage.env, CLAUDE_CONFIG_DIR: configDir } };
}

/** Those of the texts that do not stand in the model's newest request exactly once. */
const amiss = (stage: Stage, texts: readonly string[]): string[] =>
  texts.filter((text) => copiesInLast(stage, text) !== 1);

test("rows that Claude Code could not write on a full disk are restored from the log before its next start", async (context) => {
  const disk = mountSmallDisk(context);
  const stage = await stageOn(disk);
  symlinkSync(tempDir(), join(stage.configDir, "session-log"));
  const talk = await Conversation.start(stage);
  await talk.ask("PROBE-0");
  let makeRoom = disk.fill();
  await talk.ask(`PROBE-1 ${"x".repeat(8_000)}`);
  makeRoom();
  await talk.ask("PROBE-2");
  expect(amiss(stage, ["PROBE-0", "PROBE-1", "PROBE-2"])).toEqual([]);

  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { fits: ({ code }) => code === "cli_restarted" });
  await talk.ask("PROBE-3");
  expect(amiss(stage, ["PROBE-0", "PROBE-1", "PROBE-2", "PROBE-3"])).toEqual([]);
  expect(
    await talk.until("notice", { fits: ({ code }) => code === "transcript_mended" }),
  ).toMatchObject({ data: { count: 1 } });

  // At the end of a conversation, and seen by the next host.
  makeRoom = disk.fill();
  await talk.ask(`PROBE-4 ${"x".repeat(8_000)}`);
  await talk.session.close("shutdown");
  makeRoom();
  const again = await Conversation.start(stage);
  await again.ask("PROBE-5");
  expect(
    amiss(
      stage,
      [0, 1, 2, 3, 4, 5].map((n) => `PROBE-${n}`),
    ),
  ).toEqual([]);
});

/** The texts, calls and results of a conversation that stand in the model's newest request, in their order. */
function orderInLast(stage: Stage): string[] {
  const words = conversationOf(modelRequests(stage).at(-1));
  return words.match(/PROBE-\d|ANSWER-\d|echo SEEN-\d|"SEEN-\d/g) ?? [];
}

const turnOf = (n: number): string[] => [
  `PROBE-${n}`,
  `echo SEEN-${n}`,
  `"SEEN-${n}`,
  `ANSWER-${n}`,
];

test("a turn with a call, and a last answer, that a full disk lost are restored from the log", async (context) => {
  const disk = mountSmallDisk(context);
  const turns = [1, 2, 3, 4].flatMap((n) => [
    { when: { tool_result: { text: `SEEN-${n}` } }, text: `ANSWER-${n}` },
    {
      when: { user: `PROBE-${n}` },
      tools: [{ name: "Bash", input: { command: `echo SEEN-${n}` } }],
    },
  ]);
  const stage = await stageOn(disk, { rules: turns, default: { text: "I am here." } });
  symlinkSync(tempDir(), join(stage.configDir, "session-log"));
  const talk = await Conversation.start(stage);
  await talk.ask("PROBE-1");
  const makeRoom = disk.fill();
  await talk.ask("PROBE-2");
  makeRoom();
  await talk.ask("PROBE-3");
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage);
  await again.ask("hello");
  expect(orderInLast(stage)).toEqual([1, 2, 3].flatMap(turnOf));
  await again.ask("PROBE-4");
  await again.session.close("shutdown");

  const path = findTranscript(stage.configDir, again.session.status().session_id) ?? "";
  const rows = readFileSync(path, "utf8").split("\n");
  const cut = rows.findIndex(
    (row) => row.includes('"type":"assistant"') && row.includes("ANSWER-4"),
  );
  writeFileSync(path, `${rows.slice(0, cut).join("\n")}\n`);
  const third = await Conversation.start(stage);
  await third.ask("hello");
  expect(orderInLast(stage)).toEqual([1, 2, 3, 4].flatMap(turnOf));
  expect(
    await third.until("notice", { fits: ({ code }) => code === "transcript_mended" }),
  ).toMatchObject({
    message: expect.stringContaining("0 messages and 1 texts"),
  });
});

const { DISK_STORM_KEEP } = process.env;
const rounds = Number(process.env["DISK_STORM_ROUNDS"] ?? 1);
const firstSeed = Number(process.env["DISK_STORM_SEED"] ?? 1);
const seeds = Array.from({ length: rounds }, (_, round) => firstSeed + round);

/** The session's log, Claude Code's files, and what the model was asked. */
function copyStage(stage: Stage, to: string): void {
  copyFiles(stage.configDir, join(to, "config"));
  copyFiles(stage.cwd, join(to, "work"));
  writeFileSync(join(to, "requests.json"), JSON.stringify(stage.rehearsal.journal.entries));
}

test.for(seeds)(
  "a disk that is full three times at random moments loses no message (DISK_STORM_SEED=%i)",
  { timeout: 300_000 },
  async (seed, context) => {
    const disk = mountSmallDisk(context);
    const stage = await stageOn(disk);
    const directory = DISK_STORM_KEEP && join(DISK_STORM_KEEP, String(seed));
    keepEvidenceOfTest({ storm: "disk-storm", seed: `DISK_STORM_SEED=${seed}`, directory }, (to) =>
      copyStage(stage, to),
    );
    const random = seededRandom(seed);
    const between = (low: number, high: number): number => low + random() * (high - low);
    const talk = await Conversation.start(stage);
    const weather = { isOver: false };
    const storm = (async () => {
      for (let strike = 0; strike < 3; strike++) {
        await sleep(between(200, 1_500));
        const makeRoom = disk.fill();
        await sleep(between(500, rounds > 1 ? 6_000 : 1_500));
        makeRoom();
      }
      weather.isOver = true;
    })();
    const sent: string[] = [];
    for (let n = 0; !weather.isOver || n < 5; n++) {
      const id = `m${n}`;
      const text = `PROBE-${n}- ${"y".repeat(between(1, 4_000))}`;
      // Refused while the log cannot be written either; it is kept all the same.
      await talk.send({ type: "message", id, text }).catch(() => sleep(100));
      sent.push(`PROBE-${n}-`);
      await Promise.race([talk.endOf(id).catch(() => {}), sleep(between(0, 800))]);
    }
    await storm;
    await talk.ask("PROBE-end-");
    expect(amiss(stage, sent)).toEqual([]);
    await talk.session.close("shutdown");
    const again = await Conversation.start(stage);
    await again.ask("after it");
    expect(amiss(stage, [...sent, "PROBE-end-"])).toEqual([]);
  },
);

test("a disk storm that fails keeps the session's log, Claude Code's files and what the model was asked", async (context) => {
  const stage = await stageOn(mountSmallDisk(context));
  const talk = await Conversation.start(stage);
  await talk.ask("PROBE-0-");
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  const [kept, seed] = [tempDir(), "DISK_STORM_SEED=7"];
  let error: unknown;
  try {
    expect(amiss(stage, ["PROBE-0-", "PROBE-1-"])).toEqual([]);
  } catch (lost) {
    error = lost;
  }
  const end = { storm: "disk-storm", seed, directory: kept, errors: [error] };
  keepEvidence(end, (to) => copyStage(stage, to));
  printed.mockRestore();

  expect(readFileSync(join(kept, "failure.txt"), "utf8")).toMatch(
    /^DISK_STORM_SEED=7\n[^]*found: \[ 'PROBE-1-' \]\nexpected: \[\]/,
  );
  const asked = JSON.parse(readFileSync(join(kept, "requests.json"), "utf8")) as unknown[];
  expect(asked).toHaveLength(stage.rehearsal.journal.entries.length);
  expect(readFileSync(join(kept, "config/session-log/events.jsonl"), "utf8")).toContain("PROBE-0-");
  const path = findTranscript(join(kept, "config"), talk.session.status().session_id) ?? "";
  expect(readFileSync(path, "utf8")).toContain("PROBE-0-");
});
