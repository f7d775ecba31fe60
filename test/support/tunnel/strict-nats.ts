import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsAddress } from "../nats/start-nats.ts";

/** The configuration that 'switchboard bus init' has written, for a server of a test: its own ports, and paths from anywhere. */
export const strictConfig =
  (server: string) =>
  ({ port, monitorPort, storeDirectory }: NatsAddress): string =>
    `${readFileSync(join(server, "nats.conf"), "utf8")
      .replace(/^listen: .*$/m, `listen: "127.0.0.1:${port}"`)
      .replace('"./store"', JSON.stringify(storeDirectory))
      .replaceAll('"./', `"${server}/`)}http: "127.0.0.1:${monitorPort}"\n`;
