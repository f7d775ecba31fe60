import type * as fs from "node:fs";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { memoryDir } from "../../test/support/temp-dir.ts";
import { replaceFile } from "./replace-file.ts";

/** The system calls of one replacement, in order; the one with this index fails. */
const calls: string[] = [];
let failAt: number | undefined;
/** So many bytes are taken at a time. */
let chunkBytes: number | undefined;

function noted<Args extends unknown[], Result>(name: string, call: (...args: Args) => Result) {
  return (...args: Args): Result => {
    calls.push(name);
    if (calls.length - 1 === failAt) throw Object.assign(new Error(name), { code: "EIO" });
    return call(...args);
  };
}

vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof fs>();
  const writeSync = (fd: number, bytes: Uint8Array, from: number, length: number, at: number) =>
    real.writeSync(fd, bytes, from, Math.min(length, chunkBytes ?? length), at);
  return {
    ...real,
    openSync: noted("open", real.openSync),
    writeSync: noted("write", writeSync),
    fdatasyncSync: noted("fdatasync", real.fdatasyncSync),
    fsyncSync: noted("fsync", real.fsyncSync),
    renameSync: noted("rename", real.renameSync),
  };
});

beforeEach(() => {
  calls.length = 0;
  [failAt, chunkBytes] = [undefined, undefined];
});

describe("replaceFile", () => {
  it("syncs content before the rename and the directory after it, only when it must be durable", () => {
    const path = join(memoryDir(), "file");
    replaceFile(path, "a", { durable: true });
    expect(calls).toEqual(["open", "write", "fdatasync", "rename", "open", "fsync"]);
    calls.length = 0;
    replaceFile(path, "b", { durable: false });
    expect(calls).toEqual(["open", "write", "rename"]);
    expect(readFileSync(path, "utf8")).toBe("b");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("leaves the old or the new content and no draft, whichever system call fails", () => {
    const directory = memoryDir();
    const path = join(directory, "file");
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.boolean(),
        fc.nat(8),
        fc.integer({ min: 1, max: 50 }),
        (old, next, durable, index, chunk) => {
          writeFileSync(path, old);
          calls.length = 0;
          [failAt, chunkBytes] = [index, chunk];
          let failed = false;
          try {
            replaceFile(path, next, { durable });
          } catch {
            failed = true;
          }
          failAt = undefined;
          expect(readdirSync(directory)).toEqual(["file"]);
          const isNew = !failed || (calls.includes("rename") && calls.at(-1) !== "rename");
          expect([...readFileSync(path)]).toEqual([...(isNew ? next : old)]);
        },
      ),
    );
  });

  it("does not follow a link in the place of its draft", () => {
    const directory = memoryDir();
    const [path, victim] = [join(directory, "file"), join(directory, "victim")];
    writeFileSync(victim, "mine");
    symlinkSync(victim, `${path}.tmp`);
    expect(() => replaceFile(path, "x", { durable: false })).toThrow(/ELOOP/);
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(existsSync(path)).toBe(false);
  });

  it("takes permissions and draft as they are asked for", () => {
    const directory = memoryDir();
    const path = join(directory, "file");
    replaceFile(path, "x", { durable: false, mode: 0o640, draft: join(directory, "draft") });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(directory)).toEqual(["file"]);
  });
});
