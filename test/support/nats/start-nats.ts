import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-ports.ts";
import { NatsServer } from "./nats-server.ts";
import { removeAfterUs } from "./remove-after-us.ts";

/** Whether the tests that need a server can run; `get-server-once.ts` prints a line when they cannot. */
export const hasNats = Boolean(process.env["NATS_SERVER"]);

/** Where one server of the cluster listens and stores, for its configuration. */
export interface NatsAddress {
  readonly name: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDirectory: string;
}

export interface NatsOptions {
  readonly servers?: 1 | 3;
  /** With `always` an acknowledged entry is on the disk. */
  readonly sync?: "default" | "always";
  /** Further lines for the configuration of each server. */
  readonly settings?: string;
  /** The configuration of a single server, in place of the usual one. */
  readonly config?: (address: NatsAddress) => string;
  /** For the store: by default the temporary directory. */
  readonly parentDirectory?: string;
}

export interface Nats extends AsyncDisposable {
  readonly servers: readonly NatsServer[];
  /** The first or only one. */
  readonly server: NatsServer;
  readonly urls: readonly string[];
  /** Ends the servers, in whatever state, and removes what they have stored. */
  readonly close: () => Promise<void>;
}

/** How often all is tried again because another process has taken a port in the meantime. */
const PORT_TRIES = 5;

/**
 * Starts real servers with JetStream on loopback, on ports and a store of their own. They end with this process, however
 * it ends.
 *
 * @throws with the server's log when it does not come up.
 */
export async function startNats(options: NatsOptions = {}): Promise<Nats> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (tries === PORT_TRIES || !String(error).includes("address already in use")) throw error;
    }
  }
}

async function startOnce(options: NatsOptions): Promise<Nats> {
  const { servers: count = 1, parentDirectory = tmpdir() } = options;
  const directory = mkdtempSync(join(parentDirectory, "sb-nats-"));
  const close = removeAfterUs(directory);
  const ports = await freePorts(count * 3);
  const routes = ports.slice(0, count);
  const servers = routes.map((route, at) => {
    const name = `n${at + 1}`;
    const port = ports[count + at]!;
    const monitorPort = ports[2 * count + at]!;
    const address = { name, port, monitorPort, storeDirectory: join(directory, `${name}-store`) };
    const config =
      options.config?.(address) ??
      usualConfig(address, options) + (count === 1 ? "" : clusterConfig(route, routes));
    return new NatsServer({ ...address, directory, config });
  });
  try {
    for (const server of servers) server.spawn();
    await Promise.all(servers.map((server) => server.healthy()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    servers,
    server: servers[0]!,
    urls: servers.map(({ url }) => url),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const usualConfig = (
  { name, port, monitorPort, storeDirectory }: NatsAddress,
  { sync = "default", settings = "" }: NatsOptions,
): string => `server_name: ${name}
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${monitorPort}"
jetstream { store_dir: "${storeDirectory}"${sync === "always" ? ", sync_interval: always" : ""} }
${settings}
`;

const clusterConfig = (own: number, all: readonly number[]): string => `cluster {
  name: test
  listen: "127.0.0.1:${own}"
  routes: [${all
    .filter((port) => port !== own)
    .map((port) => `"nats://127.0.0.1:${port}"`)
    .join(", ")}]
}
`;
