import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorOf } from "../wire/errors.ts";

const host = "127.0.0.1";
const retryMs = 50;

/** The listening side of a server, which can stop for a while and return on the same port. */
export class HttpListener {
  readonly port: number;
  readonly #server: Server;
  #comeBack: NodeJS.Timeout | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    // Another process may have taken the port meanwhile; retries until it is free.
    server.on("error", () => this.#listenIn(retryMs));
  }

  static async open(server: Server, port: number): Promise<HttpListener> {
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
    return new HttpListener(server);
  }

  get isRefusing(): boolean {
    return !this.#server.listening;
  }

  /** The system refuses new connections; idle ones are closed. */
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
