import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { ModelOptions } from "../../src/model/index.ts";
import { ClaudeCodeModel } from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { RequestView } from "../../src/rehearsal/request-view.ts";
import type { JsonObject } from "../../src/wire/json.ts";
import type { Stage } from "./rehearsed.ts";
import { processesOf } from "./stage-processes.ts";

/** A model whose requests run on the stage. */
export const modelOn = (stage: Stage, options: ModelOptions = {}): ClaudeCodeModel =>
  new ClaudeCodeModel({ cwd: stage.cwd, ...options, env: { ...stage.env, ...options.env } });

/** The model's part: calls the tool, then says what it said. */
export const callThenTell =
  (tool: string, input: JsonObject = {}) =>
  ({ newToolResults }: RequestView): AnswerInput =>
    newToolResults.length > 0
      ? { text: newToolResults.map(({ text }) => text).join("\n") }
      : { tools: [{ name: tool, input }] };

// Hosts of other tests put their sockets into the common place; here only those of this file are.
const commonPlace = tmpdir();
const place = mkdtempSync(join(commonPlace, "sbm-"));
process.env["TMPDIR"] = place;
afterAll(() => {
  process.env["TMPDIR"] = commonPlace;
  rmSync(place, { recursive: true, force: true });
});

/** The socket and the schema file of the one host that runs. */
export function hostFiles(): [socket: string, schema: string] {
  const paths = readdirSync(place, { recursive: true, encoding: "utf8" });
  const find = (ending: string): string =>
    join(
      place,
      paths.find((path) => path.includes("claudecode_ipc") && path.endsWith(ending)) ?? "",
    );
  return [find(".sock"), find(".json")];
}

/** What is there but for the stages themselves and the directories that all CLIs share. */
function leftBehind(but: RegExp): string[] {
  const shared = /^(cc-socks|claude-\d+(\/[^/]+)?)$/;
  const paths = readdirSync(place, { recursive: true, encoding: "utf8" });
  const left = paths.filter((path) => !shared.test(path) && !path.startsWith("sb-test-"));
  return left.filter((path) => !but.test(path));
}

/**
 * No process of the stage, no file of a host, no socket. Claude Code itself leaves images and the output of
 * tasks, in a folder of the session, also where it ends well.
 */
export async function expectNothingLeft(stage: Stage): Promise<void> {
  await expect.poll(() => processesOf(stage), { timeout: 20_000 }).toEqual([]);
  await expect.poll(() => leftBehind(/^claude-\d+\//), { timeout: 20_000 }).toEqual([]);
}

/**
 * Nor a file of the session's; but for one that a CLI makes and removes at its start to try how it can watch
 * files: it names neither its process nor its session, so that no program can tell whose it is.
 */
export async function expectNothingOfSessionsLeft(stage: Stage): Promise<void> {
  await expectNothingLeft(stage);
  await expect
    .poll(() => leftBehind(/^claude-\d+\/fswatch-probe-/), { timeout: 20_000 })
    .toEqual([]);
}
