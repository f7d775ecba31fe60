import { expect, test } from "vitest";
import type { EngineEvent, ToolResultEvent, ToolUseEvent } from "../../engine/events.ts";
import { OutputReader, outputValidator } from "../structured-output.ts";
import { ModelStep } from "./step.ts";
import { StepWriter } from "./step-writer.ts";

const ownName = (tool: string): string | undefined =>
  tool.startsWith("own_") ? tool.slice("own_".length) : undefined;

/** What a step tells for the events of a session. */
async function tell(events: object[], output?: OutputReader, object?: unknown): Promise<object[]> {
  const step = new ModelStep();
  const writer = new StepWriter(step, ownName, output);
  for (const event of events) writer.take(event as EngineEvent);
  if (object !== undefined) writer.finishObject(object);
  writer.closeBlock();
  return partsOf(step);
}

async function partsOf(step: ModelStep): Promise<object[]> {
  step.end();
  const parts: object[] = [];
  for await (const part of step.read()) parts.push(part);
  return parts;
}

const input = (tool: string, partial_json: string) => ({
  type: "tool_input_delta",
  request_id: "toolu_1",
  tool,
  partial_json,
});
const use = (tool: string) => ({ type: "tool_use", request_id: "toolu_1", tool, input: {} });

test("blocks are opened and closed in order, and a sub-agent's text is left out", async () => {
  const parts = await tell([
    { type: "thinking_delta", block: 0, text: "Hm." },
    { type: "text_delta", block: 1, text: "One " },
    { type: "text_delta", block: 1, text: "two" },
    { type: "text_delta", block: 0, text: "not told", parent: "toolu_0" },
    { type: "text_delta", block: 2, text: "three" },
  ]);
  expect(parts).toEqual([
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "Hm." },
    { type: "reasoning-end", id: "0" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "One " },
    { type: "text-delta", id: "1", delta: "two" },
    { type: "text-end", id: "1" },
    { type: "text-start", id: "2" },
    { type: "text-delta", id: "2", delta: "three" },
    { type: "text-end", id: "2" },
  ]);
});

test.each([
  ["of the caller", "own_ask", { toolName: "ask" }],
  ["of Claude Code", "Bash", { toolName: "Bash", providerExecuted: true, dynamic: true }],
])("the input of a tool %s is reported under its name", async (_name, tool, named) => {
  expect(await tell([input(tool, "{"), input(tool, "}"), use(tool)])).toEqual([
    { type: "tool-input-start", id: "toolu_1", ...named },
    { type: "tool-input-delta", id: "toolu_1", delta: "{" },
    { type: "tool-input-delta", id: "toolu_1", delta: "}" },
    { type: "tool-input-end", id: "toolu_1" },
  ]);
});

test.each([
  ["a success", { output: "7 files", is_error: false }, { result: "7 files" }],
  [
    "a failure",
    { output: "no such file", is_error: true },
    { result: "no such file", isError: true },
  ],
  ["no output", { is_error: false }, { result: "" }],
])(
  "a call that Claude Code answered itself is reported with its result: %s",
  async (_name, told, part) => {
    const step = new ModelStep();
    const writer = new StepWriter(step, ownName, undefined);
    const bash = {
      type: "tool_use",
      request_id: "toolu_1",
      tool: "Bash",
      input: { command: "ls" },
    };
    writer.callForeign(bash as ToolUseEvent);
    const result = { type: "tool_result", request_id: "toolu_1", ...told };
    writer.resultOfForeign(result as ToolResultEvent, "Bash");
    const call = { toolCallId: "toolu_1", toolName: "Bash" };
    expect(await partsOf(step)).toEqual([
      {
        type: "tool-call",
        ...call,
        input: '{"command":"ls"}',
        providerExecuted: true,
        dynamic: true,
      },
      { type: "tool-result", ...call, ...part, dynamic: true },
    ]);
  },
);

test("a step whose caller wants an object has the object as its only text", async () => {
  const validator = outputValidator({ type: "object", properties: { name: { type: "string" } } });
  const events = [
    { type: "text_delta", block: 0, text: "Here it is." },
    input("StructuredOutput", '{"name":"Ber'),
    input("StructuredOutput", 'lin"}'),
    use("StructuredOutput"),
  ];
  expect(await tell(events, new OutputReader(validator), { name: "Berlin" })).toEqual([
    { type: "text-start", id: "-1" },
    { type: "text-delta", id: "-1", delta: '{"name":"Ber' },
    { type: "text-delta", id: "-1", delta: 'lin"' },
    { type: "text-delta", id: "-1", delta: "}" },
    { type: "text-end", id: "-1" },
  ]);
});
