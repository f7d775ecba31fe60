import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import { currentPath, olderPath, olderSegments } from "../../src/session/log/segment-files.ts";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { newHome } from "../support/agent-socket-process.ts";
import { copyFiles, keepEvidenceOfTest } from "../support/evidence.ts";
import { isOfMainAgent } from "../support/persona.ts";
import { processesOf } from "../support/stage-processes.ts";
import { stormScript } from "../support/storm/script.ts";
import { Storm } from "../support/storm/storm.ts";
import { judge } from "../support/storm/verdict.ts";

/** Small by default; the full storm is SESSION_STORM_KILLS=20 SESSION_STORM_DISCONNECTS=200. */
const { SESSION_STORM_KILLS = "4", SESSION_STORM_DISCONNECTS = "20" } = process.env;
const { SESSION_STORM_SEED = String(Date.now() % 1_000_000) } = process.env;
const kills = Number(SESSION_STORM_KILLS);
const seed = Number(SESSION_STORM_SEED);

test(
  "a client that is cut off and a host that is killed, repeatedly, lose and double nothing",
  { timeout: 120_000 + kills * 60_000 },
  async () => {
    process.stdout.write(`session storm: SESSION_STORM_SEED=${seed}\n`);
    const home = newHome();
    const rehearsal = await startRehearsal({ script: stormScript(seed + 1) });
    onTestFinished(() => rehearsal.close());
    const configDir = join(home.root, "claude");
    const socket = join(home.root, "storm.sock");
    const storm = new Storm({
      home,
      socket,
      env: { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: configDir },
      kills,
      disconnects: Number(SESSION_STORM_DISCONNECTS),
      random: seededRandom(seed),
    });
    onTestFinished(() => storm.stop());
    keep(home.root, rehearsal.journal.entries);

    await storm.run();
    expect(await storm.shutDown()).toBe(0);

    const { client } = storm;
    const { lines, files } = readLog(join(home.env["XDG_STATE_HOME"] ?? "", "switchboard/logs"));
    expect(client.lines.map(String)).toEqual(lines.slice(client.before));
    expect(client.wrong).toEqual([]);
    const events = withoutSnapshots(lines.map((line) => JSON.parse(line) as SessionEvent));

    const requests = rehearsal.journal.entries.filter(isOfMainAgent);
    const last = requests.at(-1);
    if (!last) throw new Error("the model was never asked");
    const marks = join(home.cwd, "marks");
    const evidence = {
      events,
      requests,
      last,
      marks: existsSync(marks) ? readFileSync(marks, "utf8").trim().split("\n") : [],
    };
    expect(judge(evidence)).toEqual([]);
    expect(rehearsal.journal.failures).toEqual([]);
    expect(storm.deaths).toEqual([]);
    expect(storm.killedOn).toHaveLength(kills);
    expect(existsSync(socket)).toBe(false);
    await expect.poll(() => processesOf({ configDir })).toEqual([]);
    process.stdout.write(
      `session storm: ${storm.steps} messages, ${client.lastSeq} events, ` +
        `${files} files, ${client.disconnects} losses, ${client.resets} of them over a new file, ` +
        `${evidence.marks.length} runs of tools, killed on ${storm.killedOn.join(" ")}\n`,
    );
  },
);

/** The whole log: all its files, the oldest first. Its events are numbered through. */
function readLog(logs: string): { lines: string[]; files: number } {
  const [log = ""] = readdirSync(logs);
  const directory = join(logs, log);
  const paths = [
    ...olderSegments(directory).map((seq) => olderPath(directory, seq)),
    currentPath(directory),
  ];
  const lines = paths.flatMap((path) => readFileSync(path, "utf8").split("\n").filter(Boolean));
  expect(lines.map((line) => (JSON.parse(line) as SessionEvent).seq)).toEqual(
    lines.map((_, index) => index + 1),
  );
  return { lines, files: paths.length };
}

/** What happened, once each. */
function withoutSnapshots(events: SessionEvent[]): SessionEvent[] {
  let inside = false;
  return events.filter(({ type }) => {
    if (type === "snapshot_begin") inside = true;
    if (type === "snapshot_end") inside = false;
    return !inside && type !== "snapshot_end";
  });
}

function keep(root: string, requests: readonly unknown[]): void {
  const { SESSION_STORM_KEEP: directory } = process.env;
  const end = { storm: "session-storm", seed: `SESSION_STORM_SEED=${seed}`, directory };
  keepEvidenceOfTest(end, (to) => {
    copyFiles(root, to);
    writeFileSync(join(to, "requests.json"), JSON.stringify(requests));
  });
}
