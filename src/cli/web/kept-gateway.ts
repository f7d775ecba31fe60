import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Child } from "../../proc/start-child.ts";
import { startChild } from "../../proc/start-child.ts";

// The same from src/ and from dist/.
const program = fileURLToPath(new URL("../../../bin/switchboard.js", import.meta.url));

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
/** One that lived this long was not at fault when it ended. */
const SOUND_AFTER_MS = 30_000;

/** How the first start went: the gateway takes requests, or what it said when it did not start. */
export type FirstStart = { readonly ok: true } | { readonly ok: false; readonly said: string };

export interface KeptGatewayOptions {
  /** Of the team. */
  readonly stateDir: string;
  readonly port?: number | undefined;
  /** Told when a gateway that ended does not start again; it is tried on. */
  readonly onTrouble?: (said: string) => void;
}

/**
 * The gateway of a team, in a process of its own that dies with us. When it ends without our doing, it is started again on
 * the same port: that costs the team nothing, and the pages attach where they were.
 */
export class KeptGateway implements AsyncDisposable {
  readonly #options: KeptGatewayOptions;
  readonly #log: string;
  #child: Child | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #delayMs = FIRST_DELAY_MS;
  #isToldOf = false;

  constructor(options: KeptGatewayOptions) {
    this.#options = options;
    this.#log = join(webDirectory(options.stateDir), "gateway.log");
  }

  /**
   * The gateway of another process may serve the team already; then that one is left alone.
   *
   * @throws the system's error when its log cannot be written.
   */
  async start(): Promise<FirstStart> {
    mkdirSync(dirname(this.#log), { recursive: true, mode: 0o700 });
    if (existsSync(this.#log)) renameSync(this.#log, `${this.#log}.1`);
    const first = await this.#run(this.#options.port);
    return first ?? { ok: false, said: this.#said() };
  }

  /** It was ended on purpose, perhaps before it took requests. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // It has no input to wait for, and says good-bye to its pages on SIGTERM.
    await this.#child?.stop({ ask: () => this.#child?.process.kill("SIGTERM") });
    rmSync(join(webDirectory(this.#options.stateDir), "open.html"), { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Undefined when the process ended before it took requests. */
  async #run(port: number | undefined): Promise<FirstStart | undefined> {
    const startedAt = performance.now();
    const child = this.#spawn(port);
    if (!child) return undefined;
    this.#child = child;
    const ready = await firstLine(child);
    if (ready === undefined) return undefined;
    if (!ready.includes('"elsewhere":true')) {
      void child.exited.then(() => this.#againAfter(performance.now() - startedAt));
    }
    return { ok: true };
  }

  #spawn(port: number | undefined): Child | undefined {
    const at = port === undefined ? [] : ["--port", String(port)];
    const place = ["--state-dir", this.#options.stateDir];
    const errors = openSync(this.#log, "a", 0o600);
    try {
      return startChild({
        command: process.execPath,
        args: [program, "web", ...place, ...at, "--no-link", "--json"],
        env: process.env,
        stdio: ["ignore", "pipe", errors],
      });
    } catch {
      // The system has no room for it now.
      return undefined;
    } finally {
      closeSync(errors);
    }
  }

  #againAfter(livedMs: number): void {
    if (livedMs >= SOUND_AFTER_MS) {
      this.#delayMs = FIRST_DELAY_MS;
      this.#isToldOf = false;
    }
    this.#againLater();
  }

  #againLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#again(), this.#delayMs).unref();
    this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
  }

  async #again(): Promise<void> {
    // On the port that it had: the gateway remembers it, and the pages look for it there.
    const result = await this.#run(undefined).catch(() => undefined);
    if (result || this.#isClosed) return;
    // Once, not at every try.
    if (!this.#isToldOf) this.#options.onTrouble?.(this.#said());
    this.#isToldOf = true;
    this.#againLater();
  }

  /** What the last process wrote when it ended. */
  #said(): string {
    let line = "";
    try {
      [line = ""] = readFileSync(this.#log, "utf8").trim().split("\n").slice(-1);
      const { message, hint } = JSON.parse(line) as { message?: string; hint?: string };
      return [message, hint].filter(Boolean).join(" ") || line;
    } catch {
      return line;
    }
  }
}

/** Where the gateway of a team keeps its own state. */
export const webDirectory = (stateDir: string): string => join(stateDir, "web");

/** Undefined when the process ends first. */
function firstLine({ process: { stdout }, exited }: Child): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const end = said.indexOf("\n");
      if (end >= 0) resolve(said.slice(0, end));
    });
    void exited.then(() => resolve(undefined));
  });
}
