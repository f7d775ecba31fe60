import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ownTempDir, tempDir } from "../../test/support/temp-dir.ts";
import { claimOf } from "./socket-file/claim-path.ts";
import { dial } from "./connect-with-retries.ts";
import type { Listener } from "./listen.ts";
import { listen } from "./listen.ts";
import { probeSocket } from "./probe-socket.ts";
import { reachesLongPaths } from "./socket-file/short-path.ts";
import { MAX_SOCKET_PATH_BYTES } from "./socket-file/socket-path.ts";

const permissions = (path: string): number => lstatSync(path).mode & 0o777;

const listenAt = (path: string): Promise<Listener> => listen({ path, onConnection: () => {} });

const failWith = (code: string, words: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

/** What a process leaves behind that was killed: a second name outlives the listener that is closed. */
async function leaveStaleSocket(path: string): Promise<void> {
  const listener = await listenAt(join(tempDir(), "old.sock"));
  linkSync(listener.path, path);
  await listener.close();
  expect(await probeSocket(path)).toEqual({ state: "dead" });
}

/** With so many bytes in its path. */
function deepDirectory(bytes: number): string {
  const top = tempDir();
  const directory = join(top, "d".repeat(bytes - Buffer.byteLength(top) - "/".length));
  mkdirSync(directory);
  return directory;
}

describe("without a path", () => {
  test("the socket is private in a private directory, and close removes both", async () => {
    const listener = await listen({ name: "test.sock", onConnection: () => {} });
    const directory = dirname(listener.path);
    expect(listener.path).toMatch(/\/switchboard-\w{6}\/test\.sock$/);
    expect(permissions(directory)).toBe(0o700);
    expect(permissions(listener.path)).toBe(0o600);
    await listener.close();
    expect(existsSync(directory)).toBe(false);
  });

  test("a missing temp directory is named in the error", async () => {
    process.env["TMPDIR"] = join(ownTempDir(), "nowhere");
    await expect(listen({ onConnection: () => {} })).rejects.toEqual(
      failWith("socket_path_invalid", `${process.env["TMPDIR"]}/switchboard-`),
    );
  });

  test("a name that is too long for every temp directory is refused with its length", async () => {
    const name = `${"n".repeat(MAX_SOCKET_PATH_BYTES)}.sock`;
    await expect(listen({ name, onConnection: () => {} })).rejects.toEqual(
      failWith("socket_path_invalid", `the system allows ${MAX_SOCKET_PATH_BYTES}`),
    );
  });
});

describe("at a chosen path", () => {
  test("the socket is private, has no other files beside it, and is removed on close", async () => {
    const directory = tempDir();
    const listener = await listenAt(join(directory, "a.sock"));
    expect(readdirSync(directory)).toEqual(["a.sock"]);
    expect(permissions(listener.path)).toBe(0o600);
    await listener.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a dead socket is replaced", async () => {
    const path = join(tempDir(), "a.sock");
    await leaveStaleSocket(path);
    await using listener = await listenAt(path);
    expect(await probeSocket(listener.path)).toEqual({ state: "alive" });
    expect(readdirSync(dirname(path))).toEqual(["a.sock"]);
  });

  test("a socket that answers is in use, and goes on answering", async () => {
    const path = join(tempDir(), "a.sock");
    await using first = await listenAt(path);
    await expect(listenAt(path)).rejects.toEqual(failWith("socket_in_use", "a process answers"));
    expect(await probeSocket(first.path)).toEqual({ state: "alive" });
    expect(readdirSync(dirname(path))).toEqual(["a.sock"]);
  });

  test("a plain file or a symbolic link is refused and left as it is", async () => {
    const directory = tempDir();
    const [file, link] = [join(directory, "file"), join(directory, "link")];
    writeFileSync(file, "precious");
    symlinkSync(file, link);
    for (const path of [file, link]) {
      await expect(listenAt(path)).rejects.toEqual(failWith("socket_path_invalid", "not a socket"));
    }
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect(readdirSync(directory)).toEqual(["file", "link"]);
  });

  test("a missing directory is named in the error", async () => {
    const missing = join(tempDir(), "missing");
    const why = `there is no directory ${missing}.`;
    for (const path of [join(missing, "a.sock"), join(missing, "below", "a.sock")]) {
      await expect(listenAt(path)).rejects.toEqual(failWith("socket_path_invalid", why));
    }
  });

  test.each([
    ["is empty", ""],
    ["has a zero byte", join(tmpdir(), "a\0b")],
  ])("a path that %s is refused", async (why, path) => {
    await expect(listenAt(path)).rejects.toEqual(failWith("socket_path_invalid", why));
  });

  test("the longest path works; one byte more is refused", async () => {
    const directory = tempDir();
    const room = MAX_SOCKET_PATH_BYTES - directory.length - "/".length;
    await using listener = await listenAt(join(directory, "n".repeat(room)));
    expect(await probeSocket(listener.path)).toEqual({ state: "alive" });
    await expect(listenAt(join(directory, "n".repeat(room + 1)))).rejects.toEqual(
      failWith("socket_path_invalid", `has ${MAX_SOCKET_PATH_BYTES + 1} bytes`),
    );
  });

  // Beside a short name, lobby and claim are what is long: by 13 bytes and a slash.
  const besideBytes = "/.sb-XXXXXX/s".length;
  test.runIf(reachesLongPaths).each([
    ["the last in which they fit", MAX_SOCKET_PATH_BYTES - besideBytes],
    ["the first in which they do not", MAX_SOCKET_PATH_BYTES - besideBytes + 1],
    ["the longest", MAX_SOCKET_PATH_BYTES - "/s".length],
  ])("a short name works in a deep directory: %s", async (_, bytes) => {
    const directory = deepDirectory(bytes);
    const path = join(directory, "s");
    await leaveStaleSocket(claimOf(path));
    await leaveStaleSocket(path);
    await using listener = await listenAt(path);
    expect(await probeSocket(path)).toEqual({ state: "alive" });
    expect([readdirSync(directory), permissions(path)]).toEqual([["s"], 0o600]);
    await expect(listenAt(path)).rejects.toEqual(failWith("socket_in_use", "a process answers"));
    await listener.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test.runIf(reachesLongPaths)("in a deep directory a claim is respected", async () => {
    const path = join(deepDirectory(MAX_SOCKET_PATH_BYTES - "/s".length), "s");
    await using starting = await listenAt(join(dirname(path), "t"));
    linkSync(starting.path, claimOf(path));
    await expect(listenAt(path)).rejects.toEqual(failWith("socket_in_use", "starting there"));
    expect(await probeSocket(claimOf(path))).toEqual({ state: "alive" });
  });

  test("the claim of a process that died while it started is taken over", async () => {
    const path = join(tempDir(), "a.sock");
    await leaveStaleSocket(claimOf(path));
    await using listener = await listenAt(path);
    expect(readdirSync(dirname(listener.path))).toEqual(["a.sock"]);
  });

  test("the claim of a process that is starting is respected", async () => {
    const path = join(tempDir(), "a.sock");
    await using starting = await listenAt(claimOf(path));
    await expect(listenAt(path)).rejects.toEqual(failWith("socket_in_use", "starting there"));
    expect(await probeSocket(starting.path)).toEqual({ state: "alive" });
  });
});

describe("close", () => {
  test("ends open connections after what was written has been sent", async () => {
    const accepted = Promise.withResolvers<Socket>();
    const listener = await listen({ onConnection: accepted.resolve });
    const client = await dial(listener.path);
    (await accepted.promise).write("goodbye");
    const received = text(client);
    await listener.close();
    expect(await received).toBe("goodbye");
    client.destroy();
  });

  test("is not held up by a peer that does not read", async () => {
    const accepted = Promise.withResolvers<Socket>();
    const listener = await listen({ onConnection: accepted.resolve });
    const client = (await dial(listener.path)).pause();
    const socket = await accepted.promise;
    socket.write(Buffer.alloc(10_000_000));
    await listener.close();
    expect(socket.destroyed).toBe(true);
    client.destroy();
  });

  test("may be called twice, and by `await using`", async () => {
    const path = join(tempDir(), "a.sock");
    {
      await using listener = await listenAt(path);
      await Promise.all([listener.close(), listener.close()]);
    }
    expect(existsSync(path)).toBe(false);
  });

  test("leaves a newer socket at the path alone", async () => {
    const path = join(tempDir(), "a.sock");
    const listener = await listenAt(path);
    unlinkSync(path);
    await using newer = await listenAt(path);
    await listener.close();
    expect(await probeSocket(newer.path)).toEqual({ state: "alive" });
  });

  test("when called again, leaves alone even a newer socket that got the same inode", async () => {
    const path = join(tempDir(), "a.sock");
    const listener = await listenAt(path);
    await listener.close();
    // On most file systems the first of these has the inode that was just given up.
    for (let count = 0; count < 10; count += 1) {
      await using newer = await listenAt(path);
      await listener.close();
      expect(await probeSocket(newer.path)).toEqual({ state: "alive" });
    }
  });

  test("finds nothing to remove when the socket was moved away", async () => {
    const path = join(tempDir(), "a.sock");
    const listener = await listenAt(path);
    renameSync(path, `${path}.moved`);
    await listener.close();
    expect(readdirSync(dirname(path))).toEqual(["a.sock.moved"]);
  });
});

test("a peer that has ended its side still gets its answer", async () => {
  await using listener = await listen({
    onConnection: (socket) => {
      void text(socket).then((question) => socket.end(`heard: ${question}`));
    },
  });
  const client = await dial(listener.path);
  client.end("hello");
  expect(await text(client)).toBe("heard: hello");
});

test("a connection that breaks does not bring the program down", async () => {
  const accepted = Promise.withResolvers<Socket>();
  await using listener = await listen({ onConnection: accepted.resolve });
  const client = await dial(listener.path);
  const socket = await accepted.promise;
  client.destroy();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("to nobody");
  await closed;
  expect(socket.errored).toMatchObject({ code: "EPIPE" });
});

test("a living server that makes no claims is not replaced either", async () => {
  const path = join(tempDir(), "a.sock");
  const foreign = createServer().listen(path);
  await once(foreign, "listening");
  await expect(listenAt(path)).rejects.toEqual(failWith("socket_in_use", path));
  foreign.close();
});
