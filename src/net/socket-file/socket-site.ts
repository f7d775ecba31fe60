import { once } from "node:events";
import { chmodSync } from "node:fs";
import type { Server } from "node:net";
import { shortPath } from "./short-path.ts";

/** Where a server can be reached, and everything that it puts on the disk for that. */
export interface SocketSite {
  readonly path: string;

  /** Binds the server and lets only its owner's processes reach it at `path`. */
  occupy(server: Server): Promise<void>;

  /** Removes our files from the disk. Synchronous, for the end of the process; never throws. */
  vacate(): void;
}

/** The directory of `path` must be private: until the mode is set, the umask decides who may connect. */
export async function bindPrivately(server: Server, path: string): Promise<void> {
  const short = shortPath(path);
  // Not earlier: when the server closes, Node removes the file of this name.
  server.once("close", () => short[Symbol.dispose]());
  // Exclusive, because a cluster would make its primary process bind and keep the socket.
  server.listen({ path: short.path, exclusive: true });
  await once(server, "listening");
  chmodSync(path, 0o600);
}
