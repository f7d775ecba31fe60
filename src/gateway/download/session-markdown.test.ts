import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { markdownOf } from "./session-markdown.ts";

const at = "2026-01-01T00:00:00.000Z";

async function written(...drafts: object[]): Promise<string> {
  const events = drafts.map((draft, index) => ({ seq: index + 1, at, ...draft }) as SessionEvent);
  async function* pages() {
    // In pages of two, so that turns are cut anywhere.
    for (let from = 0; from < events.length; from += 2) yield events.slice(from, from + 2);
  }
  return (await buffer(markdownOf("coder", pages()))).toString();
}

const turn = "t1";
const done = {
  type: "done",
  turn_id: turn,
  messages: [],
  stop_reason: "end_turn",
  cost_usd: 0,
  usage: {},
};

test("a session as Markdown has what was said, thought, called and answered, in order", async () => {
  const text = await written(
    { type: "user_message", id: "m1", text: "Make it.", by: "anna" },
    { type: "turn_started", turn_id: turn, messages: ["m1"] },
    { type: "thinking_delta", turn_id: turn, block: 0, text: "Which\nfile?" },
    { type: "text_delta", turn_id: turn, block: 1, text: "I look " },
    { type: "text_delta", turn_id: turn, block: 1, text: "first." },
    { type: "tool_use", turn_id: turn, request_id: "r1", tool: "Bash", input: { command: "ls" } },
    { type: "tool_result", turn_id: turn, request_id: "r1", output: "a\n```\nb", is_error: false },
    done,
    { type: "user_message", id: "m2", text: "More.", from: "middle_manager" },
  );
  expect(text).toBe(`# coder

## anna · ${at}

Make it.

> Which
> file?

I look first.

### Bash · done

\`\`\`json
{
  "command": "ls"
}
\`\`\`

\`\`\`\`
a
\`\`\`
b
\`\`\`\`

## middle\\_manager · ${at}

More.
`);
});

test("a long output stands whole in the Markdown", async () => {
  const output = `begin${"x".repeat(100_000)}end`;
  const text = await written(
    { type: "turn_started", turn_id: turn, messages: [] },
    { type: "tool_use", turn_id: turn, request_id: "r1", tool: "Bash", input: {} },
    { type: "tool_result", turn_id: turn, request_id: "r1", output, is_error: false },
    done,
  );
  expect(text).toContain(`\n${output}\n`);
});

test("a name cannot begin anything of its own in the Markdown", async () => {
  const by = "eve\n# Approved by you <b>";
  const text = await written({ type: "user_message", id: "m1", text: "x", by });
  expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual([
    "# coder",
    `## eve \\# Approved by you \\<b\\> · ${at}`,
  ]);
});
