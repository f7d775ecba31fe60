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

/** The directories of tool hosts that are there. */
const hostPlaces = (): string[] =>
  readdirSync(place).filter((name) => name.startsWith("switchboard-"));

/** No process of the stage, and no file of a host. */
export async function expectNothingLeft(stage: Stage): Promise<void> {
  await expect.poll(() => processesOf(stage), { timeout: 20_000 }).toEqual([]);
  await expect.poll(hostPlaces, { timeout: 20_000 }).toEqual([]);
}

/** The CLI of a stage that has one: the process that was started first. */
export function cliOf(stage: Stage): number {
  const [first] = processesOf(stage)
    .map(Number)
    .sort((a, b) => a - b);
  if (first === undefined) throw new Error("No CLI runs on this stage.");
  return first;
}
