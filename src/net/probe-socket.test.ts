import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { listen } from "./listen.ts";
import { probeSocket } from "./probe-socket.ts";

test("a socket is alive while a process listens, then dead, and absent without a file", async () => {
  const directory = tempDir();
  const [path, otherName] = [join(directory, "a.sock"), join(directory, "b.sock")];
  expect(await probeSocket(path)).toEqual({ state: "absent" });

  const listener = await listen({ path, onConnection: () => {} });
  linkSync(path, otherName);
  expect(await probeSocket(otherName)).toEqual({ state: "alive" });
  await listener.close();
  expect(await probeSocket(otherName)).toEqual({ state: "dead" });
});

test("a plain file, a directory and a symbolic link are not sockets", async () => {
  const directory = tempDir();
  const [file, link] = [join(directory, "file"), join(directory, "link")];
  writeFileSync(file, "");
  symlinkSync(join(directory, "nothing"), link);
  for (const path of [file, link, directory]) {
    expect(await probeSocket(path)).toEqual({ state: "not_a_socket" });
  }
});

test("an inconclusive probe is unclear, with its cause", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(await probeSocket(join(file, "a.sock"))).toEqual({
    state: "unclear",
    cause: expect.objectContaining({ code: "ENOTDIR" }),
  });
});
