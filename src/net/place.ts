import { once } from "node:events";
import { chmodSync } from "node:fs";
import type { Server } from "node:net";
import { shortName } from "./short-name.ts";

/** Where a server can be reached, and all that it leaves on the disk for that. */
export interface Place {
  readonly path: string;

  /** Binds the server and lets its owner's processes, and no others, reach it at `path`. */
  occupy(server: Server): Promise<void>;

  /** Removes from the disk what is ours. Synchronous, for the end of the process; never throws. */
  vacate(): void;
}

/** The directory of `path` must be private: until the mode is set, the umask decides who may connect. */
export async function bindPrivately(server: Server, path: string): Promise<void> {
  const short = shortName(path);
  // Not before: when the server closes, Node removes what has this name by then.
  server.once("close", () => short[Symbol.dispose]());
  // Exclusive, because a cluster would have its primary process bind and keep the socket.
  server.listen({ path: short.path, exclusive: true });
  await once(server, "listening");
  chmodSync(path, 0o600);
}
