import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { shortenChange } from "../changes/shorten-change.ts";
import { changeBetween } from "../changes/changes-as-hunks.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { EventDraft } from "./event-draft.ts";
import { openLog } from "./open-log.ts";

const asked = (lines: number): EventDraft => {
  const change = changeBetween("", "a line of some length\n".repeat(lines));
  return {
    type: "approval_request",
    request_id: "r",
    tool: "Write",
    input: {},
    scopes: [{ scope: "once", label: "Yes" }],
    changes: [{ path: "/f", kind: "add", ...shortenChange(change, "/f") }],
  };
};

test("[SES-75] the patch of a large change is stored beside the log, whatever its size", async () => {
  const log = openLog(memoryDir());
  const event = log.append(asked(5000)) as SessionEventOf<"approval_request">;
  const [change] = event.changes ?? [];
  expect(change).toMatchObject({
    added: 5000,
    truncated: true,
    hunks: [{ new_start: 1 }],
    patch: { bytes: expect.any(Number), preview: expect.stringContaining("@@ -0,0 +1,5000 @@") },
  });
  expect(JSON.stringify(change).length).toBeLessThan(80_000);
  await log.durable();
  const blob = typeof change?.patch === "object" ? change.patch.blob : "";
  const { data } = await log.readBlob(blob, 0);
  expect(
    Buffer.from(data)
      .toString()
      .match(/^\+a line/gm),
  ).toHaveLength(5000);
  await log.close();
});

test("[SES-46] a request that must become small keeps what its changes are about, and a reference to them", async () => {
  const log = openLog(memoryDir());
  const event = log.append(asked(3)) as SessionEventOf<"approval_request">;
  expect(event.changes).toMatchObject([{ hunks: [{ new_lines: 3 }] }]);
  expect(log.lighten(event).changes).toMatchObject([
    {
      path: "/f",
      kind: "add",
      added: 3,
      hunks: [],
      truncated: true,
      patch: { preview: expect.stringContaining("+a line") },
    },
  ]);
  await log.close();
});
