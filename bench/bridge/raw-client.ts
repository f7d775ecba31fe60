import { once } from "node:events";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { takeFrames, writeText } from "./frames.ts";
import type { CallResult } from "./stdio-client.ts";

/** The client of programs/raw-host.ts: JSON at this end too, one call at a time. */
export class RawClient {
  readonly #socket: Socket;
  #answer = Promise.withResolvers<CallResult>();
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.once("close", () => this.#answer.reject(new Error("The raw host is gone.")));
    takeFrames(socket, (body) => {
      const { result } = JSON.parse(body.toString()) as { result: CallResult };
      this.#answer.resolve(result);
    });
  }

  static async open(path: string): Promise<RawClient> {
    const socket = createConnection(path);
    await once(socket, "connect");
    return new RawClient(socket);
  }

  async call(name: string, args: object): Promise<CallResult> {
    const id = (this.#lastId += 1);
    const params = { name, arguments: args };
    this.#answer = Promise.withResolvers();
    writeText(this.#socket, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    return this.#answer.promise;
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }
}
