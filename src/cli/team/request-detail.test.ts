import { expect, test } from "vitest";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { noPaint } from "../attach/terminal-formats.ts";
import { detailRows } from "./request-detail.ts";

const request = (more: object): PendingRequest =>
  ({
    type: "approval_request",
    seq: 1,
    at: "2026-01-01T00:00:00Z",
    request_id: "toolu_1",
    scopes: [{ scope: "once", label: "Once" }],
    ...more,
  }) as PendingRequest;

test("detailRows shows what a Write would write, the first lines of it", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const input = { file_path: "/work/a.txt", content: lines.join("\n") };
  const rows = detailRows(request({ tool: "Write", input }), noPaint);
  expect(rows.slice(0, 2)).toEqual(["    + line 1", "    + line 2"]);
  expect(rows.at(-1)).toMatch(/… 1\d more lines/);
});

test("detailRows shows what an Edit would change, and the rule that asks", () => {
  const input = { file_path: "/work/a.txt", old_string: "one", new_string: "two" };
  const policy = { action: "ask", rule: "2: ask Edit" };
  expect(detailRows(request({ tool: "Edit", input, policy }), noPaint)).toEqual([
    "    the policy asks: 2: ask Edit",
    "    - one",
    "    + two",
  ]);
  expect(detailRows(request({ tool: "Bash", input: { command: "ls" } }), noPaint)).toEqual([]);
});
