import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createConnection, createServer } from "node:net";

/** `mute`: what the client says never arrives. `deaf`: what the server says never arrives. `cut`: no connection at all. */
export type ProxyMode = "pass" | "mute" | "deaf" | "cut";

export interface TcpProxy {
  readonly url: string;
  /** Back to `pass` all connections end, because they lack what was swallowed. */
  set(mode: ProxyMode): void;
  close(): void;
}

/** A way of one client to one server, which can be broken in several manners. */
export async function startProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let mode: ProxyMode = "pass";
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const join = (from: Socket, to: Socket, swallowed: ProxyMode): void => {
    from.on("data", (data) => mode !== swallowed && to.write(data));
    from.on("error", () => undefined);
    from.once("close", () => {
      open.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    if (mode === "cut") {
      client.destroy();
      return;
    }
    const upstream = createConnection(Number(port), hostname);
    open.add(client).add(upstream);
    join(client, upstream, "mute");
    join(upstream, client, "deaf");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      if (next === "cut" || mode !== "pass") endAll();
      mode = next;
    },
    close() {
      server.close();
      endAll();
    },
  };
}
