import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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

test("keepEvidenceOfTest keeps what a failed test has left, after what it had started has ended", () => {
  const [root, temp, project] = [tempDir(), tempDir(), resolve(import.meta.dirname, "../..")];
  const support = JSON.stringify(join(import.meta.dirname, "evidence.ts"));
  writeFileSync(
    join(root, "storm.test.mjs"),
    `import { writeFileSync } from "node:fs";
    import { expect, onTestFinished, test } from "vitest";
    import { keepEvidenceOfTest } from ${support};
    test.each(["good", "bad"])("a storm", (storm) => {
      const left = [storm];
      keepEvidenceOfTest({ storm, seed: "SEED=1", directory: undefined }, (to) =>
        writeFileSync(to + "/left.json", JSON.stringify(left)),
      );
      onTestFinished(() => void left.push("ended"));
      expect(storm).toBe("good");
    });`,
  );
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const run = spawnSync(process.execPath, [vitest, "run", "--root", root], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temp },
  });
  expect(run.status).toBe(1);
  expect(run.stdout).toContain("bad: failed; SEED=1; the evidence is in");
  const kept = readdirSync(temp).filter((name) => /^(good|bad)-/.test(name));
  expect(kept).toEqual([expect.stringMatching(/^bad-/)]);
  const file = (name: string) => readFileSync(join(temp, kept[0]!, name), "utf8");
  expect(JSON.parse(file("left.json"))).toEqual(["bad", "ended"]);
  expect(file("failure.txt")).toContain("expected 'bad' to be 'good'");
});
