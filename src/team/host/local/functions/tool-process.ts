import { createWriteStream } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StdioServerConfig } from "../../../../bridge/index.ts";
import type { PipedChild } from "../../../../proc/start-child.ts";
import { startChild } from "../../../../proc/start-child.ts";
import type { ClaudeCodeError } from "../../../../wire/errors.ts";
import { errorOf } from "../../../../wire/errors.ts";
import { fromWire } from "../../../../wire/error-wire.ts";

// The same from src/ and from dist/, because both lie beside each other.
const program = fileURLToPath(new URL("../../../../../bin/switchboard.js", import.meta.url));

export interface ToolProcessOptions {
  /** The file of functions. */
  readonly file: string;
  readonly hostName: string;
  /** Where its socket has a fixed name, so that running sessions find the next process. */
  readonly directory: string;
  readonly cwd: string;
  /** A file that gets what the functions print. */
  readonly log: string;
  readonly signal: AbortSignal;
}

export interface ToolProcess {
  readonly child: PipedChild;
  /** For a session's MCP config. */
  readonly config: StdioServerConfig;
}

/**
 * `switchboard tools FILE`, as a person would run it: with the person's whole environment. It dies with us. Resolves
 * when its tools can be called.
 *
 * @throws what the command says is wrong with the file; `start_failed` when it ends without a word; the signal's
 * reason.
 */
export async function startToolProcess(options: ToolProcessOptions): Promise<ToolProcess> {
  const { file, hostName, directory, cwd, log, signal } = options;
  const flags = ["--name", hostName, "--directory", directory, "--json"];
  const child = startChild({
    command: process.execPath,
    args: [program, "tools", file, ...flags],
    cwd,
    env: process.env,
  });
  child.process.stdin.end();
  const said = { out: "", err: "" };
  const ready = Promise.withResolvers<StdioServerConfig>();
  const listen = (stream: "out" | "err") => (chunk: Buffer) => {
    said[stream] += chunk.toString();
    const config = configIn(said.out);
    if (config) ready.resolve(config);
  };
  const [hearOut, hearErr] = [listen("out"), listen("err")];
  child.process.stdout.on("data", hearOut);
  child.process.stderr.on("data", hearErr);
  child.process.once("close", () => ready.reject(whyEnded(file, said.err)));
  const abort = (): void => ready.reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    const config = await ready.promise;
    child.process.stdout.off("data", hearOut);
    child.process.stderr.off("data", hearErr);
    keep(child, log);
    return { child, config };
  } catch (error) {
    await child.stop().catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What the functions print is kept, and never holds them up. */
function keep(child: PipedChild, log: string): void {
  const file = createWriteStream(log, { flags: "a", mode: 0o600 });
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream.pipe(file, { end: false });
    // A full disk costs the log, not the functions.
    file.on("error", () => stream.resume());
  }
  child.process.once("close", () => file.end());
}

/** The config that the command prints when it is ready. A module may have printed something before. */
function configIn(text: string): StdioServerConfig | undefined {
  const [printed] = /^\{\n {2}"mcpServers": [^]*?^\}$/m.exec(text) ?? [];
  if (printed === undefined) return undefined;
  const { mcpServers } = JSON.parse(printed) as { mcpServers: Record<string, StdioServerConfig> };
  return Object.values(mcpServers)[0];
}

/** The command's own error, which is the last line that it prints. */
function whyEnded(file: string, printed: string): ClaudeCodeError {
  const last = printed.trim().split("\n").at(-1) ?? "";
  try {
    return fromWire(JSON.parse(last));
  } catch {
    const message = `The functions of ${file} did not start${last === "" ? "" : `: ${last}`}.`;
    return errorOf("start_failed", message, { hint: `Try: switchboard tools ${file}` });
  }
}
