import { chmodSync } from "node:fs";
import type { Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

/** A socket that leads to another one, and whose connections the test can break. */
export async function breakableWay(target: string) {
  const path = join(tempDir(), "way.sock");
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const session = createConnection(target);
    for (const each of [client, session]) {
      open.add(each);
      each.on("error", () => {});
      each.once("close", () => {
        for (const other of [client, session]) {
          open.delete(other);
          other.destroy();
        }
      });
    }
    client.pipe(session).pipe(client);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(path, listening));
  chmodSync(path, 0o600);
  return {
    path,
    breakAll: () => {
      for (const socket of open) socket.destroy();
    },
  };
}
