import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { cachedServer, findServer } from "./find-server.ts";

const lines: string[] = [];
const find = () => findServer((line) => lines.push(line));

beforeEach(() => {
  lines.length = 0;
  vi.stubEnv("NATS_SERVER", undefined);
  vi.stubEnv("XDG_CACHE_HOME", tempDir());
  vi.stubEnv("PATH", tempDir());
  return () => vi.unstubAllEnvs();
});

it("findServer takes the cached server when the one on PATH is too old, and says so", () => {
  const old = program(join(tempDir(), "nats-server"), "2.11.11");
  vi.stubEnv("PATH", dirname(old));
  expect(find()).toBeUndefined();
  expect(lines).toEqual([`${old} is version 2.11.11; 2.12 or newer is needed.`]);
  const file = program(cachedServer(), "2.15.1");
  expect(find()).toEqual({ file, version: "2.15.1" });
});

it.each(["2.12.0", "2.15.1-rc.2", "3.0.0"])("findServer takes version %s", (version) => {
  const file = program(join(tempDir(), "nats-server"), version);
  vi.stubEnv("NATS_SERVER", file);
  expect(find()).toEqual({ file, version });
});

it("findServer refuses a $NATS_SERVER that cannot be used, and takes no other in its place", () => {
  program(cachedServer(), "2.15.1");
  const old = program(join(tempDir(), "nats-server"), "1.99.0");
  vi.stubEnv("NATS_SERVER", old);
  expect(find).toThrow("version 1.99.0");
  vi.stubEnv("NATS_SERVER", "/bin/true");
  expect(find).toThrow("/bin/true is no nats-server");
});

/** A program that only says its version. */
function program(file: string, version: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
  return file;
}
