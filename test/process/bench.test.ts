import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

interface Result {
  name: string;
  reports: { title: string; rounds: number; rows: { ratio: number; goalRatio?: number }[] }[];
}

/** What it measures here, in one short round on a busy machine, means nothing; that it measures does. */
it("the bench prints its tables, with the peer, the throughput and the goal", () => {
  const { status, stdout } = run(tempDir(), "codec");
  expect(status).toBe(0);
  expect(stdout).toContain("Decode 1-KB messages");
  expect(stdout).toContain("JSON.parse of ready strings");
  expect(stdout).toContain("MB/s");
  expect(stdout).toMatch(/frames .*1\.5/);
});

it("the bench compares the codecs with JSON.parse, and gives and writes it as JSON", () => {
  const results = tempDir();
  const { status, stdout, stderr } = run(results, "--json", "codec");
  expect({ stderr, status }).toMatchObject({ status: 0 });
  const [codec] = JSON.parse(stdout) as [Result];
  expect(JSON.parse(readFileSync(join(results, "codec.json"), "utf8"))).toEqual(codec);

  const report = codec.reports.find(({ title }) => title === "Decode 1-KB messages");
  expect(report).toMatchObject({
    rounds: 1,
    rows: [
      { name: "JSON.parse of ready strings", ratio: 1 },
      { name: "TextDecoder and JSON.parse" },
      { name: "frames", goalRatio: 1.5, goalReached: expect.any(Boolean) },
      { name: "lines", goalRatio: 1.5, goalReached: expect.any(Boolean) },
    ],
  });
  const ratios = codec.reports.flatMap(({ rows }) => rows.map(({ ratio }) => ratio));
  expect(ratios.filter((ratio) => !(ratio > 0))).toEqual([]);
});

it("the bench refuses a suite that it does not have, and names those that it has", () => {
  const { status, stderr } = run(tempDir(), "nonsense");
  expect(stderr).toContain(
    "Names: acp, bridge, bus, codec, delivery, model, scale, session, tunnel, web\n",
  );
  expect(status).toBe(64);
});

function run(results: string, ...args: string[]) {
  return spawnSync(process.execPath, ["bench/run.ts", ...args], {
    cwd: resolve(import.meta.dirname, "../.."),
    encoding: "utf8",
    env: { ...process.env, BENCH_RESULTS: results, BENCH_ROUNDS: "1", BENCH_WARM_UP_MS: "1" },
  });
}
