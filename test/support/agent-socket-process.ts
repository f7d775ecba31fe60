import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { SessionLineClient } from "./session-line-client.ts";
import { tempDir } from "./temp-dir.ts";

const project = resolve(import.meta.dirname, "../..");

/** A machine of its own for agent-socket: home, state and project, with nothing of its user in sight. */
export interface Home {
  root: string;
  cwd: string;
  env: Record<string, string>;
}

export function newHome(): Home {
  const root = tempDir();
  const cwd = join(root, "project");
  mkdirSync(cwd);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    XDG_STATE_HOME: join(root, "state"),
    CLAUDE_CODE_MAX_RETRIES: "1",
    // Otherwise each home has one of its own, which is empty.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
  };
  return { root, cwd, env };
}

/** A script for --rehearsal: `yaml` is the whole of it. */
export function writeScript({ root }: Home, yaml: string): string {
  const file = join(root, "script.yaml");
  writeFileSync(file, yaml);
  return file;
}

export interface ReadyLine {
  type: "ready";
  socket: string;
  observe_socket?: string;
  session_id: string;
  log_id: string;
  log: string;
  pid: number;
  cli_version?: string;
  cli_support: string;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface AgentSocket {
  readonly child: ChildProcess;
  /** Rejects with what it said on stderr when it ends before. */
  readonly ready: Promise<ReadyLine>;
  readonly ended: Promise<Ended>;
  connect(): Promise<SessionLineClient>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** The built program, as users start it. */
export function startAgentSocket(
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
): AgentSocket {
  const bin = join(project, "bin/agent-socket.js");
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: home.root,
    env: { ...home.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  // A test may close it at once.
  const stdout = text(child.stdout).catch(() => "");
  const stderr = text(child.stderr);
  const ended = once(child, "exit").then(async ([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout: await stdout,
    stderr: await stderr,
  }));
  const ready = Promise.race([
    once(child.stdout, "data").then(([chunk]) => JSON.parse(String(chunk)) as ReadyLine),
    ended.then((end) => {
      throw new Error(`agent-socket ended with ${end.code ?? end.signal}: ${end.stderr}`);
    }),
  ]);
  // Not every test waits for it.
  ready.catch(() => {});
  return {
    child,
    ready,
    ended,
    async connect() {
      const client = new SessionLineClient((await ready).socket);
      await client.until("init");
      return client;
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** A session in the home's project; the model is rehearsed. */
export const startSession = (home: Home, script: string, ...args: string[]): AgentSocket =>
  startAgentSocket(home, ["--cwd", home.cwd, "--rehearsal", script, ...args]);
