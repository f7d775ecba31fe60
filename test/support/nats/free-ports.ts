import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";

/**
 * Ports of loopback that were free a moment ago. The servers of a cluster have to know each other's ports before they start, and to
 * come back on them, so they cannot choose their own.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(closed));
  return ports;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));
