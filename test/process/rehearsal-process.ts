import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { RehearsalClient } from "../../src/rehearsal/rehearsal-client.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { tempDir } from "../support/temp-dir.ts";

const project = resolve(import.meta.dirname, "../..");

export interface RehearsalProcess {
  url: string;
  client: RehearsalClient;
  child: ChildProcess;
  journalFile: string;
  /** Ends it with this signal and gives its exit code. */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** A rehearsal as a process of its own, as users have it. */
export async function startRehearsalProcess(
  yamlText: string,
  { port = 0, directory = tempDir(), flags = [] as string[] } = {},
): Promise<RehearsalProcess> {
  const [script, journalFile] = [join(directory, "script.yaml"), join(directory, "journal.jsonl")];
  writeFileSync(script, yamlText);
  const main = join(project, "dist/rehearsal/main.js");
  const child = spawn(
    process.execPath,
    [main, script, "--port", String(port), "--journal", journalFile, ...flags],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [unknown];
  if (!Buffer.isBuffer(line)) throw new Error(`The rehearsal ended with ${String(line)}.`);
  const { url } = JSON.parse(line.toString()) as { url: string };
  return {
    url,
    client: new RehearsalClient(url),
    child,
    journalFile,
    async stop(signal) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

/** One line of the CLI's `stream-json` output, as far as tests look at it. */
export interface CliMessage {
  type: string;
  subtype?: string;
  is_error?: boolean;
  result?: string;
  error?: string;
  message?: { content: Record<string, unknown>[] };
}

export interface CliRun {
  child: ChildProcess;
  messages: Promise<CliMessage[]>;
}

/** The real CLI with one prompt, on a rehearsal, with nothing of this machine's user in sight. */
export function runCli(
  url: string,
  prompt: string,
  env: Record<string, string> = {},
  cwd = tempDir(),
): CliRun {
  return startCli(url, [prompt], { stdin: "ignore", env, cwd });
}

/** The same for several messages: lines of JSON on its standard input. */
export function converseWithCli(url: string): CliRun {
  return startCli(url, ["--input-format", "stream-json"], {
    stdin: "pipe",
    env: {},
    cwd: tempDir(),
  });
}

function startCli(
  url: string,
  args: string[],
  { stdin, env, cwd }: { stdin: "ignore" | "pipe"; env: Record<string, string>; cwd: string },
): CliRun {
  const home = tempDir();
  const child = spawn(
    locateCli(),
    ["-p", ...args, "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        CLAUDE_CONFIG_DIR: join(home, ".claude"),
        CLAUDE_CODE_MAX_RETRIES: "1",
        ...rehearsalEnvironment(url, { agent: "boss" }),
        ...env,
      },
      stdio: [stdin, "pipe", "ignore"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages = text(child.stdout as Readable).then((output) =>
    output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as CliMessage),
  );
  return { child, messages };
}
