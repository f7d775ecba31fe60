import { basename } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { LogIndex } from "../../session/stored-sessions.ts";
import { findLog } from "./find-session.ts";

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
