import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { AgentSocket } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { copiesInLast } from "../support/requests.ts";

/** Says these one after the other, and ends the host. */
async function say(host: AgentSocket, ...texts: string[]): Promise<void> {
  const client = await host.connect();
  for (const text of texts) {
    const since = client.told.length;
    client.send({
      type: "message",
      id: text,
      text: text.startsWith("/") ? text : `this is ${text}`,
    });
    await client.until("done", { since, withinMs: 60_000 });
  }
  await host.end("SIGTERM");
}

/** A session of three turns that does not run any more, and a way to start others. */
async function stage() {
  const home = newHome();
  const rehearsal = await startRehearsal({ script: { rules: [{ text: "I see." }] } });
  onTestFinished(() => rehearsal.close());
  const configDir = join(home.root, "claude");
  const env = { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: configDir };
  const start = (...flags: string[]): AgentSocket =>
    startAgentSocket(home, ["--cwd", home.cwd, ...flags], env);
  const run = (...args: string[]) => startAgentSocket(home, args, env).ended;
  const host = start();
  const { session_id, log } = await host.ready;
  await say(host, "PROBE-1", "PROBE-2", "PROBE-3");
  const inLast = (): number[] =>
    [1, 2, 3, 4].map((n) => copiesInLast({ rehearsal }, `this is PROBE-${n}`));
  return { configDir, start, run, session_id, log, inLast };
}

const jsonOf = ({ stdout }: { stdout: string }): unknown[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

test("[SES-68] a fork at a message has what was said up to its answer, also after the host was killed", async () => {
  const { start, session_id, inLast } = await stage();
  const unknown = await start("--resume", session_id, "--fork", "--at", "PROBE-9").ended;
  expect([unknown.code, unknown.stderr]).toEqual([65, expect.stringContaining("PROBE-9")]);
  const alone = await start("--resume", session_id, "--at", "PROBE-2").ended;
  expect([alone.code, alone.stderr]).toEqual([64, expect.stringContaining("--fork")]);

  const fork = start("--resume", session_id, "--fork", "--at", "PROBE-2");
  const { session_id: copy } = await fork.ready;
  const client = await fork.connect();
  client.send({ type: "attach", since: 0 });
  expect(await client.until("session_changed")).toMatchObject({
    session_id: copy,
    forked_from: session_id,
    forked_at: expect.any(String),
  });
  const earlier = await client.until("earlier");
  expect(JSON.stringify(earlier)).toContain("PROBE-2");
  expect(JSON.stringify(earlier)).not.toContain("PROBE-3");
  // Claude Code makes the copy with the first message; until then every start makes it again.
  await fork.end("SIGKILL");
  await say(start("--resume", copy), "PROBE-4");
  expect(inLast()).toEqual([1, 1, 0, 1]);
  await say(start("--resume", session_id), "PROBE-4");
  expect(inLast()).toEqual([1, 1, 1, 1]);

  // Claude Code does not read what a summary has replaced.
  await say(start("--resume", copy), "/compact", "PROBE-5");
  const replaced = await start("--resume", copy, "--fork", "--at", "PROBE-2").ended;
  expect([replaced.code, replaced.stderr]).toEqual([65, expect.stringContaining("summary")]);
});

test("[SES-69] a session that does not run is renamed, archived and deleted with its log; one that runs is refused", async () => {
  const { configDir, start, run, session_id, log } = await stage();
  const short = session_id.slice(0, 8);
  expect(jsonOf(await run("rename", short, "The parser", "--json"))).toEqual([
    { session_id, title: "The parser" },
  ]);
  expect(jsonOf(await run("list", "--json"))).toMatchObject([{ session_id, title: "The parser" }]);
  expect(jsonOf(await run("archive", short, "--json"))).toEqual([{ session_id, archived: true }]);
  expect(jsonOf(await run("list", "--json"))).toEqual([]);
  expect((await start("--continue").ended).code).toBe(66);
  expect(jsonOf(await run("list", "--all", "--json"))).toMatchObject([
    { session_id, archived: true },
  ]);
  expect((await run("archive", short, "--undo")).stdout).toContain("no longer archived");
  await run("archive", short);

  // A resumed session knows the title that it was given on disk, and a message in it takes it out of the archive.
  const host = start("--resume", session_id);
  const client = await host.connect();
  client.send({ type: "attach", since: 0 });
  expect(await client.until("title_changed")).toMatchObject({ title: "The parser" });
  for (const args of [
    ["rename", short, "No"],
    ["archive", short],
    ["delete", short, "--yes"],
  ]) {
    const { code, stderr } = await run(...args, "--json");
    expect([code, JSON.parse(stderr)]).toMatchObject([73, { code: "session_in_use" }]);
  }
  await say(host, "PROBE-4");
  expect(jsonOf(await run("list", "--json"))).toMatchObject([{ session_id }]);

  const unsure = await run("delete", short);
  expect([unsure.code, unsure.stderr]).toEqual([64, expect.stringContaining("--yes")]);
  const transcript = findTranscript(configDir, session_id);
  expect(jsonOf(await run("delete", short, "--yes", "--json"))).toEqual([
    { session_id, transcript, log },
  ]);
  expect([existsSync(transcript ?? ""), existsSync(log)]).toEqual([false, false]);
  expect(jsonOf(await run("list", "--all", "--json"))).toEqual([]);
  for (const args of [
    ["rename", short, "No"],
    ["archive", short],
    ["delete", short, "--yes"],
  ]) {
    const { code, stderr } = await run(...args, "--json");
    expect([code, JSON.parse(stderr)]).toMatchObject([66, { code: "session_not_found" }]);
  }
  const gone = await start("--resume", session_id).ended;
  expect(gone.code).toBe(66);
});
