import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SessionClient } from "../../../src/client/index.ts";
import { connectSession } from "../../../src/client/index.ts";

const bin = (name: string): string => resolve(import.meta.dirname, "../../../bin", `${name}.js`);

/** One session with the gateway of its page, as `agent-socket` and `switchboard web SOCKET` start them. `stop` it afterwards. */
export class BrowserSession {
  readonly root: string;
  readonly socket: string;
  readonly #children: ChildProcess[] = [];

  private constructor(script: string, root: string) {
    this.root = root;
    this.socket = join(root, "session.sock");
    mkdirSync(join(root, "work"));
    writeFileSync(join(root, "script.yaml"), script);
  }

  /** @param root A directory that goes away with the session. */
  static async start(
    script: string,
    root = mkdtempSync(join(tmpdir(), "browser-session-")),
  ): Promise<BrowserSession> {
    const started = new BrowserSession(script, root);
    try {
      const { socket } = started;
      const rehearsal = ["--rehearsal", join(root, "script.yaml")];
      const own = ["--cwd", ".", "--socket", socket, "--log-level", "warn"];
      await started.#firstLine("agent-socket", [...own, ...rehearsal]);
      await started.link();
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  client(): Promise<SessionClient> {
    return connectSession(this.socket, { name: "anna" });
  }

  /** Says each text when the turn before has ended, and waits for the call that the last one leads to. */
  async callAfter(texts: readonly string[]): Promise<string> {
    await using client = await this.client();
    const waiting = [...texts];
    void client.send(waiting.shift() ?? "");
    for await (const item of client.events()) {
      if (item.type === "done" && waiting.length > 0) void client.send(waiting.shift() ?? "");
      if (item.type === "approval_request" && waiting.length === 0) return item.request_id;
    }
    throw new Error("The session ended before it asked.");
  }

  /** A link that works once. The first call starts the gateway. */
  async link(): Promise<string> {
    const line = await this.#firstLine("switchboard", ["web", this.socket, "--json"]);
    return (JSON.parse(line) as { url: string }).url;
  }

  async stop(): Promise<void> {
    // The gateway before the session that it serves.
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  #firstLine(program: string, args: readonly string[]): Promise<string> {
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    const child = spawn(process.execPath, [bin(program), ...args], {
      cwd: join(this.root, "work"),
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
    let [out, err] = ["", ""];
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    return new Promise((resolveLine, reject) => {
      child.stdout.on("data", (chunk) => {
        out += String(chunk);
        if (out.includes("\n")) resolveLine(out.slice(0, out.indexOf("\n")));
      });
      child.on("close", () => reject(new Error(`${program} ended: ${err}`)));
    });
  }
}
