import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connectSession } from "../../../src/client/connect-session.ts";
import type { SessionClient } from "../../../src/client/session-client.ts";

const bins = resolve(import.meta.dirname, "../../../bin");

interface StartOptions {
  /** Further arguments of `agent-socket`. */
  readonly flags?: readonly string[];
  /** A directory that goes away with the session. */
  readonly root?: string;
  /** Further variables of their environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A real session of agent-socket, and `switchboard web SOCKET` on it. One for all tests of a file: `stop` it afterwards. */
export class BrowserSession {
  readonly root: string;
  readonly work: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #children: ChildProcess[] = [];
  #socket = "";

  private constructor(root: string, env: Readonly<Record<string, string>>) {
    this.root = root;
    this.#env = env;
    this.work = join(root, "work");
  }

  /** @param script Of the rehearsed model; `$WORK` in it is the session's directory. */
  static async start(
    script: string,
    { flags = [], root, env = {} }: StartOptions = {},
  ): Promise<BrowserSession> {
    const place = root ?? mkdtempSync(join(tmpdir(), "browser-session-"));
    const started = new BrowserSession(place, env);
    try {
      await started.#start(script.replaceAll("$WORK", started.work), flags);
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  client(name?: string): Promise<SessionClient> {
    return connectSession(this.#socket, name === undefined ? {} : { name });
  }

  /** Says each text as anna when the turn before has ended, and waits for the call that the last one leads to. */
  async callAfter(texts: readonly string[]): Promise<string> {
    await using client = await this.client("anna");
    const waiting = [...texts];
    void client.send(waiting.shift() ?? "");
    for await (const item of client.events()) {
      if (item.type === "done" && waiting.length > 0) void client.send(waiting.shift() ?? "");
      if (item.type === "approval_request" && waiting.length === 0) return item.request_id;
    }
    throw new Error("The session ended before it asked.");
  }

  /** A link that works once. */
  async link(): Promise<string> {
    const child = this.#spawn("switchboard.js", ["web", "link", "--session", this.#socket]);
    return (await firstLine(child)).trim();
  }

  async stop(): Promise<void> {
    // The gateway first: it is the client of the session.
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  async #start(script: string, flags: readonly string[]): Promise<void> {
    mkdirSync(this.work);
    const file = join(this.root, "script.yaml");
    writeFileSync(file, script);
    const place = ["--cwd", this.work, "--rehearsal", file];
    const ready = await firstLine(this.#spawn("agent-socket.js", [...place, ...flags]));
    this.#socket = (JSON.parse(ready) as { socket: string }).socket;
    await firstLine(this.#spawn("switchboard.js", ["web", this.#socket, "--port", "0"]));
  }

  #spawn(bin: string, args: readonly string[]): ChildProcess {
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    const child = spawn(process.execPath, [join(bins, bin), ...args], {
      cwd: this.root,
      env: {
        ...env,
        HOME: this.root,
        XDG_STATE_HOME: join(this.root, "xdg"),
        SWITCHBOARD_USER: "anna",
        SWITCHBOARD_LOG: "warn",
        ...this.#env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    return child;
  }
}

/** The first line that a program prints. @throws what it says when it ends before. */
async function firstLine(child: ChildProcess): Promise<string> {
  let [out, err] = ["", ""];
  child.stderr?.on("data", (chunk) => (err += String(chunk)));
  return new Promise((settle, reject) => {
    child.stdout?.on("data", (chunk) => {
      out += String(chunk);
      if (out.includes("\n")) settle(out.slice(0, out.indexOf("\n")));
    });
    child.once("close", () => reject(new Error(`It ended. ${err}`)));
  });
}
