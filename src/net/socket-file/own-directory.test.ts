import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownTempDir, tempDir } from "../../../test/support/temp-dir.ts";
import { makeOwnDirectory, openDirectoryAbove } from "./own-directory.ts";

const STRANGER = 12_345;
const unsafe = (why: RegExp) =>
  expect.objectContaining({ code: "unsafe_place", message: expect.stringMatching(why) });

/** A directory on the way, with a mode that no umask changes. */
function directory(path: string, mode: number, owner?: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
}

function refusal(path: string): unknown {
  try {
    makeOwnDirectory(path);
  } catch (error) {
    return error;
  }
  return undefined;
}

test("makeOwnDirectory makes what is missing with mode 0700", () => {
  const path = join(tempDir(), "a/b");
  makeOwnDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("makeOwnDirectory takes a directory in a shared directory that has the sticky bit", () => {
  const shared = directory(join(tempDir(), "shared"), 0o1777);
  expect(refusal(join(shared, "mine"))).toBeUndefined();
});

test("makeOwnDirectory refuses a path below a directory in which all may rename", () => {
  const open = directory(join(tempDir(), "open"), 0o777);
  expect(refusal(join(open, "mine"))).toEqual(unsafe(/other users can write to .*open/));
  expect(openDirectoryAbove(join(open, "mine/a.sock"))).toBe(open);
  expect(openDirectoryAbove(join(tempDir(), "a.sock"))).toBeUndefined();
});

test("makeOwnDirectory names TMPDIR as the way out of a squatted temporary directory, and only there", () => {
  const temp = ownTempDir();
  const squatted = directory(join(temp, "switchboard-0-abc"), 0o777);
  expect(refusal(join(squatted, "boss"))).toHaveProperty(
    "hint",
    expect.stringContaining("set TMPDIR to such a directory"),
  );
  const elsewhere = directory(join(tempDir(dirname(temp)), "open"), 0o777);
  expect(refusal(join(elsewhere, "boss"))).not.toHaveProperty(
    "hint",
    expect.stringContaining("TMPDIR"),
  );
});

test("makeOwnDirectory refuses a directory that others may add files to, sticky or not", () => {
  const shared = directory(join(tempDir(), "shared"), 0o1777);
  expect(refusal(shared)).toEqual(unsafe(/other users can write to .*shared/));
});

// Only root can make a directory of another user.
describe.runIf(process.getuid?.() === 0)("with another user", () => {
  test("makeOwnDirectory refuses a directory that another user has made", () => {
    const shared = directory(join(tempDir(), "shared"), 0o1777);
    const squatted = directory(join(shared, "mine"), 0o777, STRANGER);
    expect(refusal(squatted)).toEqual(unsafe(/belongs to another user \(uid 12345\)/));
  });

  test("makeOwnDirectory refuses what lies below a directory that another user has made in /tmp", () => {
    const shared = directory(join(tempDir(), "shared"), 0o1777);
    const squatted = directory(join(shared, "mine"), 0o755, STRANGER);
    expect(refusal(join(squatted, "below"))).toEqual(unsafe(/mine belongs to another user/));
  });

  test("makeOwnDirectory refuses a link into a directory of another user", () => {
    const shared = directory(join(tempDir(), "shared"), 0o1777);
    const target = directory(join(shared, "theirs"), 0o755, STRANGER);
    symlinkSync(target, join(shared, "link"));
    expect(refusal(join(shared, "link"))).toEqual(unsafe(/theirs belongs to another user/));
  });

  test("makeOwnDirectory refuses a directory that a shared group may write to", () => {
    const group = directory(join(tempDir(), "group"), 0o770);
    chownSync(group, 0, STRANGER);
    expect(refusal(join(group, "mine"))).toEqual(unsafe(/other users can write to .*group/));
  });

  test("makeOwnDirectory lets root work below a directory of another user", () => {
    const home = directory(join(tempDir(), "home"), 0o755, STRANGER);
    expect(refusal(join(home, "state"))).toBeUndefined();
    expect(existsSync(join(home, "state"))).toBe(true);
  });
});
