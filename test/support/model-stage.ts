import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
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

/** The directories in which hosts of this process have their sockets. */
export function hostFiles(): string[] {
  const mine = readdirSync(tmpdir(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(tmpdir(), name));
  return mine.flatMap((directory) => {
    if (!existsSync(directory)) return [];
    try {
      return readdirSync(directory).filter((name) => name.startsWith("claudecode_ipc_"));
    } catch {
      return [];
    }
  });
}

/** No process of the stage and no file of a host that was not there before. */
export async function expectNothingLeft(stage: Stage, before: readonly string[]): Promise<void> {
  await expect.poll(() => processesOf(stage), { timeout: 20_000 }).toEqual([]);
  const left = () => hostFiles().filter((name) => !before.includes(name));
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
}

/** The CLI of a stage that has one: the process that was started first. */
export function cliOf(stage: Stage): number {
  const [first] = processesOf(stage)
    .map(Number)
    .sort((a, b) => a - b);
  if (first === undefined) throw new Error("No CLI runs on this stage.");
  return first;
}
