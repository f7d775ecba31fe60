import { onTestFinished } from "vitest";
import type { ClaudeCodeProvider, ClaudeCodeSettings } from "../../src/model/index.ts";
import { createClaudeCode } from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { ScriptFunction } from "../../src/rehearsal/play-script.ts";
import type { RequestView } from "../../src/rehearsal/request-view.ts";
import type { Stage } from "./rehearsed.ts";
import { setStage } from "./rehearsed.ts";
import { mainRequests } from "./tool-stage.ts";

/** A provider whose sessions run on the stage. */
export function providerOn(stage: Stage, settings: ClaudeCodeSettings = {}): ClaudeCodeProvider {
  const provider = createClaudeCode({
    cwd: stage.cwd,
    ...settings,
    env: { ...stage.env, ...settings.env },
  });
  onTestFinished(() => provider.close());
  return provider;
}

export const call = (name: string, ...inputs: object[]): NonNullable<AnswerInput["tools"]> =>
  (inputs.length > 0 ? inputs : [{}]).map((input) => ({
    name: `mcp__tools__${name}`,
    input: input as Record<string, string>,
  }));

export const results = ({ newToolResults }: RequestView): string =>
  newToolResults.map(({ text, is_error }) => `${is_error ? "!" : ""}${text}`).join(" | ");

/** Calls what it is told to, in turn, and then tells the results. */
function script(...answers: AnswerInput[]): ScriptFunction {
  let asked = 0;
  return (request) => answers[asked++] ?? { text: results(request) };
}

export async function stageOf(...answers: AnswerInput[]): Promise<Stage> {
  const stage = await setStage({ rules: [] });
  stage.rehearsal.setScript(script(...answers));
  return stage;
}

export const sessionsOf = (stage: Stage): number =>
  new Set(mainRequests(stage).map(({ body }) => JSON.stringify(body?.metadata))).size;
