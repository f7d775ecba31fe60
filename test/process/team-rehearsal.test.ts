import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTeamRehearsal } from "../../src/team/host/local/rehearsal-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { processesWith } from "./fixtures/proc-list.ts";

test("a rehearsal that does not start in time is ended, and its output is not taken for its successor's", async () => {
  const directory = tempDir();
  const script = join(directory, "script.yaml");
  writeFileSync(script, "rules: [{ text: hello }]");
  const slow = startTeamRehearsal(directory, script, 1000, 1);
  await expect(slow).rejects.toThrow(`The rehearsal of ${script} did not start.`);
  expect(processesWith(directory)).toEqual([]);
  const rehearsal = await startTeamRehearsal(directory, script, 1000);
  const [running, ...others] = processesWith(directory);
  expect(running?.command).toContain("--port 0");
  expect(others).toEqual([]);
  await rehearsal.stop();
  expect(processesWith(directory)).toEqual([]);
});
