import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pathsOfAgent } from "../../../src/team/host/local/agent-paths.ts";
import { TeamStage } from "../team-stage.ts";
import { tempDir } from "../temp-dir.ts";
import { keepStage } from "./keep.ts";

/** A socket that a process has left at this path. */
async function leave(path: string): Promise<string> {
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

test("a stage finds every socket that was left, whatever its name and wherever teams put them", async () => {
  const stage = new TeamStage("", "");
  expect(stage.sockets()).toEqual([]);
  const lobby = await leave(join(stage.stateDir, "s/coder/.sb-AbCdEf/s"));
  expect(stage.sockets()).toEqual([lobby]);
  const longId = "a".repeat(60);
  mkdirSync(join(stage.stateDir, "agents", longId), { recursive: true });
  const elsewhere = dirname(pathsOfAgent(stage.stateDir, longId).tools);
  expect(elsewhere.startsWith(stage.root)).toBe(false);
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  const outside = await leave(join(elsewhere, "x"));
  expect(stage.sockets()).toEqual([lobby, outside]);
});

test("keepStage keeps the files of a stage, its timeline, and what went wrong", async () => {
  const stage = new TeamStage("name: kept", "");
  mkdirSync(join(stage.stateDir, "agents/coder"), { recursive: true });
  writeFileSync(join(stage.stateDir, "agents/coder/agent.log"), "its log");
  await leave(join(stage.stateDir, "s/coder/agent.sock"));
  const directory = join(tempDir(), "0");
  keepStage(stage, directory, {
    timeline: [{ seq: 1 }, { seq: 2 }],
    failure: { error: new Error("lost"), processes: [{ pid: 7, command: "claude" }] },
  });
  const kept = (name: string): string => readFileSync(join(directory, name), "utf8");
  expect(kept("team.yaml")).toBe("name: kept");
  expect(kept("state/agents/coder/agent.log")).toBe("its log");
  expect(existsSync(join(directory, "state/s/coder/agent.sock"))).toBe(false);
  expect(kept("timeline.jsonl")).toBe('{"seq":1}\n{"seq":2}\n');
  expect(kept("failure.txt")).toMatch(/Error: lost[^]*7 claude/);
});
