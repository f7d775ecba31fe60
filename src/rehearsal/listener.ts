import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorOf } from "../wire/errors.ts";

const host = "127.0.0.1";
const retryMs = 50;

/** The listening side of a server, which can go away for a while and come back on the same port. */
export class Listener {
  readonly port: number;
  readonly #server: Server;
  #comeBack: NodeJS.Timeout | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    // Somebody may have taken the port in the meantime; it is ours again when they leave.
    server.on("error", () => this.#listenIn(retryMs));
  }

  static async open(server: Server, port: number): Promise<Listener> {
    server.listen(port, host);
    try {
      await once(server, "listening");
    } catch (cause) {
      throw errorOf(
        "socket_in_use",
        `Cannot listen on ${host}:${port}: ${(cause as Error).message}`,
        {
          cause,
          hint: "Choose another port, or 0 for any that is free.",
        },
      );
    }
    return new Listener(server);
  }

  get isRefusing(): boolean {
    return !this.#server.listening;
  }

  /** New connections are refused by the system, idle ones are closed. */
  refuse(forMs: number): void {
    this.#server.close();
    this.#listenIn(forMs);
  }

  async close(): Promise<void> {
    clearTimeout(this.#comeBack);
    const closed = this.#server.listening && once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #listenIn(delayMs: number): void {
    clearTimeout(this.#comeBack);
    this.#comeBack = setTimeout(() => this.#server.listen(this.port, host), delayMs);
  }
}
