import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { LogIndex } from "../../session/stored-sessions.ts";
import { findLog, findSession, findSessionId } from "./find-session.ts";

test("findLog finds a log by the id of its session, by its own id, and by the beginning of either", () => {
  const state = tempDir();
  const places = new LogIndex(state);
  const [one, other] = [places.create(), places.create()];
  places.assign("aaaa-1111", one);
  places.assign("aaaa-2222", other);
  for (const name of ["aaaa-1111", "aaaa-1", basename(one), basename(one).slice(0, 10)]) {
    expect(findLog(name, state)).toBe(one);
  }
  expect(findLog("./a/path", state)).toBe("./a/path");
  expect(() => findLog("aaaa", state)).toThrow("aaaa is the beginning of 2 ids.");
  expect(() => findLog("aaa", state)).toThrow("There is no session and no log aaa");
});

test("[SES-69] an empty name finds no session, not even one that has no log", async () => {
  const root = tempDir();
  vi.stubEnv("XDG_STATE_HOME", root);
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(root, "claude"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const id = randomUUID();
  const project = join(root, "claude/projects/-work");
  mkdirSync(project, { recursive: true });
  const row = { type: "user", uuid: randomUUID(), sessionId: id, cwd: "/work", parentUuid: null };
  const message = { role: "user", content: "hello" };
  writeFileSync(join(project, `${id}.jsonl`), `${JSON.stringify({ ...row, message })}\n`);
  expect(await findSessionId(id.slice(0, 8), {})).toBe(id);
  const refused = { code: "invalid_params", message: "The id of the session is empty." };
  await expect(findSessionId("", {})).rejects.toMatchObject(refused);
  await expect(findSession("", undefined)).rejects.toMatchObject(refused);
});
