import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledVersion } from "../../src/engine/locate-cli.ts";
import { claudeTools } from "../../src/team/file/known-claude-tools.ts";
import type { Told } from "../support/rehearsed.ts";
import { Performance, setStage } from "../support/rehearsed.ts";

/**
 * Every event as a line. Pieces of one text are joined, and what differs from run to run is named by its
 * role. The rough counter of thoughts is left out: how often it ticks depends on the pace.
 */
function linesOf(told: readonly Told[], names: Record<string, string>): string[] {
  const lines: string[] = [];
  let joining = "";
  for (const event of told) {
    if (event.type === "thinking_progress") continue;
    const line = lineOf(event);
    if (event.type === joining) lines.push(`${lines.pop()}${line.slice(event.type.length + 1)}`);
    else lines.push(line);
    joining = event.type.endsWith("_delta") ? event.type : "";
  }
  return lines.map((line) =>
    Object.entries(names).reduce((at, [id, name]) => at.replaceAll(id, name), line),
  );
}

function lineOf(event: Told): string {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return `${event.type} ${event.text}`;
    case "tool_input_delta":
      return `${event.type} ${event.partial_json}`;
    case "tool_use":
    case "ask":
      return `${event.type} ${event.request_id} ${event.tool} ${JSON.stringify(event.input)}`;
    case "tool_result":
      return `${event.type} ${event.request_id} ${event.is_error ? "error" : "ok"} ${JSON.stringify(event.output)}`;
    case "turn_started":
      return `${event.type} ${event.messages.join(",")}`;
    case "message_state":
      return `${event.type} ${event.id} ${event.state}`;
    case "state":
      return `${event.type} ${event.state}`;
    case "progress":
      return `${event.type} ${event.of} ${event.state}`;
    case "turn_ended":
      return `${event.type} ${event.messages.join(",")} ${event.stop_reason} ${event.text}`;
    case "ready":
      return `${event.type} ${event.mode} ${event.cli_version}`;
    default:
      return event.type;
  }
}

const isUsage = ({ type }: Told): boolean => type === "usage";

test("a turn with thoughts, two calls at once and a decision, and a turn behind it", async () => {
  const stage = await setStage((cwd) => ({
    rules: [
      {
        when: { user: "compare" },
        thinking: "First look, then note.",
        tools: [
          { name: "Read", input: { file_path: join(cwd, "a.txt") } },
          { name: "Bash", input: { command: "echo noted > note.txt" } },
        ],
      },
      { when: { tool_result: "Bash" }, text: "Both are done." },
      { when: { user: "thanks" }, text: "You are welcome." },
    ],
  }));
  const file = join(stage.cwd, "a.txt");
  writeFileSync(file, "the content\n");
  const play = new Performance(stage);
  await play.engine.ready();
  const first = await play.ask("compare the two");
  await play.until("state", { fits: ({ state }) => state === "idle" });
  const followUp = play.told.length;
  const second = await play.ask("thanks");
  await play.until("state", { since: followUp, fits: ({ state }) => state === "idle" });

  // The warning about a policy for unknown tools goes by this list.
  const { tools } = await play.until("ready");
  expect(tools).toContain("Bash");
  expect(tools.filter((tool) => !claudeTools.includes(tool))).toEqual([]);

  const [read, bash] = play.told.filter((event) => event.type === "tool_use");
  const names = {
    [first.messages[0]!]: "M1",
    [second.messages[0]!]: "M2",
    [read!.request_id]: "READ",
    [bash!.request_id]: "BASH",
    [file]: "FILE",
  };
  // Both calls run at once, so the first result may come at any time after its call, even between two
  // pieces of the second call's input.
  const isReadResult = (event: Told) =>
    event.type === "tool_result" && event.request_id === read!.request_id;
  const readResult = play.told.findIndex(isReadResult);
  expect(readResult).toBeGreaterThan(play.told.indexOf(read!));
  // How the tool numbers the empty rest behind the last newline is the CLI's own affair.
  expect(linesOf(play.told.filter(isReadResult), names)).toEqual([
    expect.stringMatching(/^tool_result READ ok "1\\tthe content\\n(2\\t)?"$/),
  ]);
  // The CLI asks as soon as a call is whole; the usage comes with the end of the answer, just before or after.
  expect(play.told.filter(isUsage)).toHaveLength(3);
  const lines = linesOf(
    play.told.filter((event) => !isReadResult(event) && !isUsage(event)),
    names,
  );
  expect(lines).toEqual([
    "state running",
    "message_state M1 queued",
    "message_state M1 started",
    `ready default ${bundledVersion()}`,
    "turn_started M1",
    "progress model_request started",
    "thinking_delta First look, then note.",
    'tool_input_delta {"file_path":"FILE"}',
    'tool_use READ Read {"file_path":"FILE"}',
    'tool_input_delta {"command":"echo noted > note.txt"}',
    'tool_use BASH Bash {"command":"echo noted > note.txt"}',
    "state waiting",
    'ask BASH Bash {"command":"echo noted > note.txt"}',
    "state running",
    'tool_result BASH ok "(Bash completed with no output)"',
    "progress model_request started",
    "text_delta Both are done.",
    "turn_ended M1 completed Both are done.",
    "message_state M1 completed",
    "state idle",
    "state running",
    "message_state M2 queued",
    "message_state M2 started",
    "turn_started M2",
    "progress model_request started",
    "text_delta You are welcome.",
    "turn_ended M2 completed You are welcome.",
    "message_state M2 completed",
    "state idle",
  ]);
  expect(readFileSync(join(stage.cwd, "note.txt"), "utf8")).toBe("noted\n");
  expect(stage.rehearsal.journal.failures).toEqual([]);
});
