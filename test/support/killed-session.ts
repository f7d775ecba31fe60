import { join } from "node:path";
import type { AgentSocket, Home } from "./agent-socket-process.ts";
import { newHome, startSession, writeScript } from "./agent-socket-process.ts";
import type { Line, SessionLineClient } from "./session-line-client.ts";
import { cliPidOf } from "./stage-processes.ts";

const withinMs = 60_000;

const isRestart = ({ code }: Line): boolean => code === "cli_restarted";

/** A session whose CLI and host are killed and come back, and clients that attach from its first event on. */
export class KilledSession {
  readonly home: Home;
  readonly observe: string;
  readonly flags: readonly string[];
  host: AgentSocket;
  #count = 0;

  /** The script may name files of the home. */
  constructor(script: string | ((home: Home) => string), ...flags: string[]) {
    this.home = newHome();
    this.observe = join(this.home.root, "observe.sock");
    this.flags = ["--observe-socket", this.observe, ...flags];
    const yaml = typeof script === "function" ? script(this.home) : script;
    this.host = startSession(this.home, writeScript(this.home, yaml), ...this.flags);
  }

  async client(name: string): Promise<SessionLineClient> {
    const client = await this.host.connect();
    await client.ask({ type: "attach", since: 0, client: name });
    return client;
  }

  /** The host is killed, and another one goes on with its session. */
  async killHost(): Promise<void> {
    const { session_id } = await this.host.ready;
    await this.host.end("SIGKILL");
    const file = join(this.home.root, "script.yaml");
    this.host = startSession(this.home, file, ...this.flags, "--resume", session_id);
  }

  async killCli(client: SessionLineClient): Promise<void> {
    const since = client.told.length;
    process.kill(cliPidOf({ configDir: this.home.root }), "SIGKILL");
    await client.until("notice", { since, fits: isRestart, withinMs });
  }

  /** Sends a message; its id. */
  say(client: SessionLineClient, text: string, more: object = {}): string {
    this.#count += 1;
    const id = `m${this.#count}`;
    client.send({ type: "message", text, id, ...more });
    return id;
  }

  /** Sends a message, and waits for the end of its turn. */
  async ask(client: SessionLineClient, text: string): Promise<Line> {
    return endOf(client, this.say(client, text));
  }
}

/** The `done` that names this message. */
export const endOf = (client: SessionLineClient, id: string): Promise<Line> =>
  client.until("done", { withinMs, fits: (done) => (done["messages"] as string[]).includes(id) });
