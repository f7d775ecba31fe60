import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { storedSessions } from "./stored-sessions.ts";

/** A directory of the CLI's with one session in it. */
function configWith(sessionId: string): string {
  const directory = tempDir();
  const project = join(directory, "projects", "-work");
  mkdirSync(project, { recursive: true });
  const row = { type: "user", uuid: randomUUID(), sessionId, cwd: "/work", parentUuid: null };
  const message = { role: "user", content: "hello" };
  writeFileSync(join(project, `${sessionId}.jsonl`), `${JSON.stringify({ ...row, message })}\n`);
  return directory;
}

test("concurrent storedSessions calls each read their own directory, and leave the environment unchanged", async () => {
  const before = process.env["CLAUDE_CONFIG_DIR"];
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const found = await Promise.all(
    ids.map((id) => storedSessions({ configDir: configWith(id), limit: 5 })),
  );
  expect(found.map((each) => each.map(({ session_id }) => session_id))).toEqual(
    ids.map((id) => [id]),
  );
  expect(process.env["CLAUDE_CONFIG_DIR"]).toBe(before);
});
