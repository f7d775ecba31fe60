import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { earlierMessages } from "./earlier-messages.ts";

const row = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) =>
  JSON.stringify({ uuid, parentUuid, type, message: { id: `m-${type}`, content }, ...more });

function fileOf(...lines: string[]): string {
  const path = join(tempDir(), "session.jsonl");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

test("earlierMessages returns texts of people and the model, without tools, notices and texts of the CLI", () => {
  const path = fileOf(
    row("1", null, "user", "remember 42"),
    row("2", "1", "assistant", [{ type: "thinking", thinking: "hm" }]),
    row("3", "2", "assistant", [{ type: "text", text: "I will." }]),
    row("4", "3", "assistant", [{ type: "tool_use", id: "t", name: "Bash", input: {} }]),
    row("5", "4", "user", [{ type: "tool_result", tool_use_id: "t", content: "out" }]),
    row("6", "5", "assistant", [{ type: "text", text: "Done." }]),
    row("s", "6", "user", "for a sub-agent", { isSidechain: true }),
    row("7", "6", "user", "<command-name>/model</command-name>"),
    row("8", "7", "user", "hidden", { isMeta: true }),
    row("9", "8", "user", [{ type: "text", text: "and now?" }]),
    '{"type":"user","uuid":"torn',
  );
  expect(earlierMessages(path)).toEqual({
    messages: [
      { role: "user", text: "remember 42" },
      { role: "assistant", text: "I will.\n\nDone." },
      { role: "user", text: "and now?" },
    ],
    omitted: 0,
  });
});

test("earlierMessages follows the branch of the last row", () => {
  const path = fileOf(
    row("1", null, "user", "first"),
    row("2", "1", "user", "left behind"),
    row("3", "1", "user", "gone on with"),
  );
  expect(earlierMessages(path).messages.map(({ text }) => text)).toEqual(["first", "gone on with"]);
});

test("earlierMessages returns the newest texts of a long conversation, each shortened", () => {
  const rows = Array.from({ length: 30 }, (_, index) =>
    row(`${index}`, index === 0 ? null : `${index - 1}`, "user", `${index} ${"x".repeat(10_000)}`),
  );
  const { messages, omitted } = earlierMessages(fileOf(...rows));
  expect([messages.length, omitted]).toEqual([20, 10]);
  expect(messages[0]?.text).toMatch(/^10 x{7997}…$/);
  expect(earlierMessages("/nowhere")).toEqual({ messages: [], omitted: 0 });
});
