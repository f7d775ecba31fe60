import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connectSession } from "../../../src/client/connect-session.ts";
import type { SessionClient } from "../../../src/client/session-client.ts";

const bins = resolve(import.meta.dirname, "../../../bin");

/** A real session of agent-socket, and `switchboard web SOCKET` on it. One for all tests of a file: `stop` it afterwards. */
export class BrowserSession {
  readonly root = mkdtempSync(join(tmpdir(), "browser-session-"));
  readonly work = join(this.root, "work");
  readonly #children: ChildProcess[] = [];
  #socket = "";

  static async start(script: string, ...flags: string[]): Promise<BrowserSession> {
    const started = new BrowserSession();
    try {
      await started.#start(script, flags);
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  client(): Promise<SessionClient> {
    return connectSession(this.#socket);
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
