import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { earlierMessages } from "./earlier-messages.ts";
import { forkPoint } from "./fork-point.ts";

const row = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) =>
  JSON.stringify({ uuid, parentUuid, type, message: { id: `m-${uuid}`, content }, ...more });

const text = (words: string) => [{ type: "text", text: words }];

const pointOf = (path: string, id: string): string => {
  const point = forkPoint(path, id);
  return point.kind === "found" ? point.uuid : point.kind;
};

/** Two turns; in the first a tool runs and a message joins, in the second a person stops the model. */
function conversation(): string {
  const path = join(tempDir(), "session.jsonl");
  const result = [{ type: "tool_result", tool_use_id: "t", content: "out" }];
  const joined = { type: "queued_command", source_uuid: "joined" };
  const rows = [
    row("one", null, "user", "one"),
    row("a1", "one", "assistant", [{ type: "tool_use", id: "t", name: "Bash", input: {} }]),
    row("r1", "a1", "user", result),
    row("j1", "r1", "attachment", undefined, { attachment: joined }),
    row("a2", "j1", "assistant", text("first answer")),
    row("s1", "a2", "system", undefined),
    row("two", "s1", "user", "two", { mergedSendUuids: ["merged"] }),
    row("old", "two", "assistant", text("of an abandoned branch")),
    row("a3", "two", "assistant", text("second ans")),
    row("i1", "a3", "user", text("[Request interrupted by user]")),
    row("sub", "a3", "user", "for a sub-agent", { isSidechain: true }),
  ];
  writeFileSync(path, `${rows.join("\n")}\n`);
  return path;
}

test("[SES-68] forkPoint ends a copy with the whole turn of the message", () => {
  const path = conversation();
  expect(["one", "joined", "two", "merged"].map((id) => pointOf(path, id))).toEqual([
    "s1",
    "s1",
    "i1",
    "i1",
  ]);
});

test("[SES-68] forkPoint ends a copy with any other row that is named, and knows none outside the conversation", () => {
  const path = conversation();
  expect(["a1", "r1", "a2", "i1"].map((id) => pointOf(path, id))).toEqual(["a1", "r1", "a2", "i1"]);
  expect(["old", "sub", "three"].map((id) => pointOf(path, id))).toEqual([
    "unknown",
    "unknown",
    "unknown",
  ]);
  expect(pointOf(join(tempDir(), "none.jsonl"), "one")).toBe("unknown");
});

const boundary = (uuid: string, before: string, trigger: string) =>
  row(uuid, null, "system", undefined, {
    subtype: "compact_boundary",
    compactMetadata: { trigger },
    logicalParentUuid: before,
  });

test("[SES-68] forkPoint refuses what a summary has replaced, and takes a turn in which one was made as a whole", () => {
  const path = join(tempDir(), "session.jsonl");
  const summary = { isCompactSummary: true };
  const rows = [
    row("one", null, "user", "one"),
    row("a1", "one", "assistant", text("first answer")),
    boundary("b1", "a1", "manual"),
    row("s1", "b1", "user", "so far", summary),
    row("two", "s1", "user", "two"),
    row("a2", "two", "assistant", text("second")),
  ];
  const cut = [
    boundary("b2", "a2", "auto"),
    row("s2", "b2", "user", "so far", summary),
    row("a3", "s2", "assistant", text("answer")),
    row("three", "a3", "user", "three"),
  ];
  writeFileSync(path, `${rows.join("\n")}\n`);
  expect(["one", "a1", "two"].map((id) => pointOf(path, id))).toEqual([
    "summarised",
    "summarised",
    "a2",
  ]);
  writeFileSync(path, `${[...rows, ...cut].join("\n")}\n`);
  expect(["one", "two", "three"].map((id) => pointOf(path, id))).toEqual([
    "summarised",
    "a3",
    "three",
  ]);
});

test("[SES-68] earlierMessages returns only what a copy has", () => {
  expect(earlierMessages(conversation(), "s1")).toEqual({
    messages: [
      { role: "user", text: "one" },
      { role: "assistant", text: "first answer" },
    ],
    omitted: 0,
  });
});
