import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { GatewayRole } from "../../wire/gateway.ts";
import { gatewayCloseCodes } from "../../wire/gateway.ts";
import { closeWebSocket } from "./close-websocket.ts";
import type { Pass } from "../sign-in/pass.ts";

const MAX_SOCKETS = 64;
const MAX_OF_ONE = 8;

/** The WebSockets that are open, and the connections on which something is read, each with its sign-in. */
export class OpenSockets {
  readonly #open = new Map<WebSocket, Pass>();
  readonly #readers = new Set<{ readonly socket: Socket; readonly id: string }>();

  /** Whether this sign-in may open one more. */
  hasRoomFor({ id }: Pass): boolean {
    const own = [...this.#open.values()].filter((pass) => pass.id === id);
    return this.#open.size < MAX_SOCKETS && own.length < MAX_OF_ONE;
  }

  add(browser: WebSocket, pass: Pass): void {
    this.#open.set(browser, pass);
    browser.once("close", () => this.#open.delete(browser));
  }

  /** An answer is being sent on this connection. Returns a function to call when it is over. */
  addReader(socket: Socket, { id }: Pass): () => void {
    const reader = { socket, id };
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** The sign-ins that have a WebSocket open. */
  get passIds(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ id }) => id));
  }

  get byRole(): ReadonlyMap<GatewayRole, number> {
    const count = (role: GatewayRole): number =>
      [...this.#open.values()].filter((pass) => pass.role === role).length;
    return new Map([
      ["owner", count("owner")],
      ["viewer", count("viewer")],
    ]);
  }

  /** The sign-in is over: its pages have to sign in again, and what they read is cut off. */
  closeOf(passId: string): void {
    for (const [browser, { id }] of this.#open) {
      if (id === passId)
        closeWebSocket(browser, gatewayCloseCodes.signInRequired, "The sign-in has ended.");
    }
    for (const { socket, id } of this.#readers) if (id === passId) socket.destroy();
  }

  closeAll(code: number, reason: string): void {
    for (const browser of this.#open.keys()) closeWebSocket(browser, code, reason);
  }
}
