import { expect, test } from "vitest";
import { provenRange } from "../cli-support.ts";
import type { RecoveryPath } from "./plan-recovery.ts";
import { planRecovery } from "./plan-recovery.ts";
import type { Transcript } from "./transcript.ts";
import { emptyTranscript } from "./transcript.ts";

const call = { request_id: "c1", tool: "Bash", input: { command: "make" } };

/** The CLI's file has the call of the log, without a result. */
const transcript: Transcript = {
  ...emptyTranscript("/nowhere"),
  calls: [{ ...call, answerId: "a1", row: { type: "assistant", uuid: "r1" } }],
};

const plan = (version: string, path?: RecoveryPath) => {
  const calls = [{ ...call, decision: "none" as const }];
  return planRecovery({ messages: [], openTurn: true, calls }, transcript, version, path);
};

test("planRecovery asks an open request again by the requested path, on any version of the CLI", () => {
  const full = plan("9.9.9", "full");
  expect(full).toMatchObject({ park: { request_id: "c1" }, unproven: false });
  const careful = plan(provenRange.last, "careful");
  expect(careful).toMatchObject({ park: undefined, unproven: false });
});

test("planRecovery chooses the path by the version when none is requested", () => {
  const proven = plan(provenRange.last);
  expect(proven).toMatchObject({ park: { request_id: "c1" }, unproven: false });
  expect(plan("9.9.9")).toMatchObject({ park: undefined, unproven: true });
});

test("planRecovery never takes the full path for a CLI that does not wait for its system prompt", () => {
  expect(plan("2.1.260", "full")).toMatchObject({ park: undefined });
});
