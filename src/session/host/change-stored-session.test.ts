import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { LogIndex } from "../files/log-index.ts";
import { archiveSession, deleteSession, renameSession } from "./change-stored-session.ts";
import { listSessions } from "./list-sessions.ts";

/** A machine without sessions: Claude Code's directory, and ours. */
function stage() {
  const root = tempDir();
  vi.stubEnv("XDG_STATE_HOME", root);
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(root, "claude"));
  onTestFinished(() => void vi.unstubAllEnvs());
  /** A session that Claude Code has stored. */
  const store = (directory = "claude"): string => {
    const id = randomUUID();
    const project = join(root, directory, "projects/-work");
    mkdirSync(project, { recursive: true });
    const row = { type: "user", uuid: randomUUID(), sessionId: id, cwd: "/work", parentUuid: null };
    const message = { role: "user", content: "hello" };
    writeFileSync(join(project, `${id}.jsonl`), `${JSON.stringify({ ...row, message })}\n`);
    return id;
  };
  return { store, index: new LogIndex(join(root, "switchboard")) };
}

const idsOf = async (query = {}): Promise<string[]> =>
  (await listSessions(query)).map(({ session_id }) => session_id);

test("[SES-69] archived sessions are left out of a list, which still has as many as were asked for", async () => {
  const { store } = stage();
  const ids = Array.from({ length: 6 }, () => store());
  const hidden = ids.slice(0, 4);
  for (const id of hidden) await archiveSession(id);
  expect(new Set(await idsOf({ limit: 2 }))).toEqual(new Set(ids.slice(4)));
  expect(await idsOf({ limit: 1 })).toHaveLength(1);
  expect(new Set(await idsOf({ all: true }))).toEqual(new Set(ids));
  for (const id of hidden) await archiveSession(id, { archived: false });
  expect(await idsOf()).toHaveLength(6);
});

test("[SES-69] deleteSession removes a log of which Claude Code knows nothing", async () => {
  const { index } = stage();
  const log = index.create();
  index.assign("s1", log);
  expect(await deleteSession("s1")).toEqual({ session_id: "s1", log });
  expect([existsSync(log), index.find("s1")]).toEqual([false, undefined]);
});

test("[SES-69] deleteSession finds a session of a rehearsal, unless it is not to look there", async () => {
  const { store, index } = stage();
  const id = store("switchboard/rehearsal");
  const log = index.create();
  index.assign(id, log);
  await expect(renameSession(id, "x", { rehearsal: false })).rejects.toMatchObject({
    code: "session_not_found",
  });
  expect(await deleteSession(id)).toMatchObject({ transcript: expect.any(String), log });
  expect(await idsOf({ rehearsal: true })).toEqual([]);
});

test("[SES-69] deleteSession keeps a log that has moved on with another session", async () => {
  const { store, index } = stage();
  const id = store();
  const log = index.create();
  index.assign(id, log);
  index.assign("after-clear", log);
  const { log: removed } = await deleteSession(id);
  expect([removed, existsSync(log), index.find(id), index.find("after-clear")]).toEqual([
    undefined,
    true,
    undefined,
    log,
  ]);
});

test("[SES-69] a session that does not exist can be neither renamed nor archived nor deleted", async () => {
  stage();
  const id = randomUUID();
  const missing = { code: "session_not_found" };
  await expect(renameSession(id, "x")).rejects.toMatchObject(missing);
  await expect(archiveSession(id)).rejects.toMatchObject(missing);
  await expect(deleteSession(id)).rejects.toMatchObject(missing);
});
