import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { removeFilesOf, removeSocketOf, taskHome } from "./claude-temp-files.ts";

const session = "e5533a89-77ff-4773-a56a-5598aaeb7e9c";
const other = "dcad42de-af57-46e8-86e6-edc1bd430369";

async function listen(path: string): Promise<void> {
  const server = await new Promise<Server>((resolve) => {
    const opening = createServer().listen(path, () => resolve(opening));
  });
  onTestFinished(() => void server.close());
}

/** The number of a process that has ended. */
const gonePid = (): number => spawnSync("true").pid;

function addSession(home: string, id: string): string {
  const folder = join(home, "-project", id);
  mkdirSync(join(folder, "tasks"), { recursive: true });
  writeFileSync(join(folder, "tasks", "b1.output"), "words");
  return folder;
}

test("removeSocketOf removes the socket of a CLI that is gone, and keeps others", async () => {
  const env = { TMPDIR: tempDir() };
  const place = join(env.TMPDIR, "cc-socks");
  mkdirSync(place);
  const [pid, second] = [gonePid(), gonePid()];
  await listen(join(place, `${pid}.sock`));
  await listen(join(place, `${process.pid}.sock`));
  writeFileSync(join(place, `${second}.sock`), "not a socket");
  for (const each of [pid, process.pid, second]) removeSocketOf(each, env);
  const left = (each: number) => existsSync(join(place, `${each}.sock`));
  expect([pid, process.pid, second].map(left)).toEqual([false, true, true]);
});

test("removeFilesOf removes the session's files, and keeps those of others", () => {
  const env = { TMPDIR: tempDir() };
  const [mine, foreign] = [session, other].map((id) => addSession(taskHome(env), id));
  removeFilesOf(session, env);
  expect([mine!, foreign!].map((path) => existsSync(path))).toEqual([false, true]);
});

test.each([
  ["home", ""],
  ["project", "-project"],
  ["session", join("-project", session)],
])("removeFilesOf does not follow a link in place of the %s", (_name, level) => {
  const env = { TMPDIR: tempDir() };
  addSession(taskHome(env), session);
  const [path, real] = [join(taskHome(env), level), join(env.TMPDIR, "elsewhere")];
  renameSync(path, real);
  symlinkSync(real, path);
  removeFilesOf(session, env);
  expect(existsSync(join(taskHome(env), "-project", session, "tasks", "b1.output"))).toBe(true);
});

test.each(["", "..", ".", "-project"])(
  "removeFilesOf removes nothing for %j, which is not a session id",
  (id) => {
    const env = { TMPDIR: tempDir() };
    const mine = addSession(taskHome(env), session);
    removeFilesOf(id, env);
    expect(existsSync(mine)).toBe(true);
  },
);

test("removeSocketOf and removeFilesOf do nothing when there is no temporary directory", () => {
  const env = { TMPDIR: join(tempDir(), "none") };
  removeSocketOf(gonePid(), env);
  removeFilesOf(session, env);
  expect(existsSync(env.TMPDIR)).toBe(false);
});
