import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { explainFailure, keepEvidence } from "./evidence.ts";
import { tempDir } from "./temp-dir.ts";

function failureOf(judge: () => void): unknown {
  try {
    judge();
  } catch (error) {
    return error;
  }
  throw new Error("nothing failed");
}

test("explainFailure writes out what was found and what was expected, however deep", () => {
  const found = { name: "round 3", wrong: [{ lost: ["message 17"] }] };
  const error = failureOf(() => expect(found).toEqual({ name: "round 3", wrong: [] }));
  expect(explainFailure(error)).toMatch(/found: [^]*message 17[^]*expected: [^]*wrong: \[\]/);
});

test("keepEvidence keeps a failed storm's files and prints the difference, and nothing of a good one", () => {
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const end = { storm: "storm", seed: "SEED=1", errors: [] };
  keepEvidence({ ...end, directory: undefined }, () => expect.unreachable());
  const error = failureOf(() => expect(["lost"]).toEqual([]));
  const kept = tempDir();
  keepEvidence({ ...end, directory: kept, errors: [error] }, (to) =>
    writeFileSync(join(to, "copied"), ""),
  );
  expect(printed.mock.calls.flat().join("")).toMatch(/SEED=1; the evidence is in [^]*'lost'/);
  expect(readFileSync(join(kept, "failure.txt"), "utf8")).toContain("'lost'");
  expect(existsSync(join(kept, "copied"))).toBe(true);
  printed.mockRestore();
});
