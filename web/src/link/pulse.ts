import type { Connect } from "agent-switchboard/client/core";
import type { ConnectToTeam } from "agent-switchboard/team/core";
import { webConnect } from "agent-switchboard/client/core";

/** So long the other side has to be heard of after a person has come back. */
const ANSWER_MS = 3_000;

const openWebSocket = (url: string, protocols: string[]): WebSocket =>
  new WebSocket(url, protocols);

/**
 * The connections of one client. A machine that slept, or a network that has changed, leaves a WebSocket that looks open and
 * brings nothing for many minutes. So when the person comes back the other side is asked, and a connection on which nothing is
 * heard is given up: the client then makes another one and goes on where it was.
 */
export class Pulse {
  readonly #open: typeof openWebSocket;
  #isHeard = false;
  #giveUp: () => void = () => undefined;

  constructor(open = openWebSocket) {
    this.#open = open;
  }

  connect(url: string, key: string): Connect & ConnectToTeam {
    const open = (to: string, protocols: string[]): WebSocket => {
      const socket = this.#open(to, protocols);
      socket.addEventListener("message", () => (this.#isHeard = true));
      return socket;
    };
    const connect = webConnect<never>({ url, key, open });
    return async (signal) => {
      const transport = await connect(signal);
      this.#giveUp = () => void transport.close();
      return transport;
    };
  }

  /** @param ask Sends something that is answered. Returns a function that ends the watch. */
  watch(ask: () => Promise<unknown>): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      if (document.hidden || timer !== undefined) return;
      const giveUp = this.#giveUp;
      this.#isHeard = false;
      timer = setTimeout(() => {
        timer = undefined;
        // A connection that has come meanwhile is another one.
        if (!this.#isHeard && giveUp === this.#giveUp) giveUp();
      }, ANSWER_MS);
      // What comes of it is heard; a refusal is an answer too.
      ask().catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("pageshow", look);
    addEventListener("online", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      removeEventListener("pageshow", look);
      removeEventListener("online", look);
    };
  }
}
