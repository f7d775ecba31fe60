import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "../bridge/index.ts";
import { createToolHost } from "../bridge/index.ts";
import { childEnvironment } from "../proc/child-environment.ts";
import { rehearsalEnvironment, startRehearsal } from "../rehearsal/index.ts";
import type { ScriptInput } from "../rehearsal/index.ts";
import { unlessAborted } from "../time/abortable-waits.ts";
import type { ProofCase } from "./proof-case.ts";
import { Scene } from "./scene.ts";
import { judgeAlways } from "./verdict.ts";

export interface CaseSetting {
  /** A directory of its own. */
  readonly root: string;
  readonly claudePath: string | undefined;
  /** Ends the case early. */
  readonly signal: AbortSignal;
}

/** A working case never takes this long, also on a busy machine. */
const CASE_MS = 150_000;

/** Plays one case on a session of its own. Returns the faults, as sentences; only files are left behind. */
export async function playCase(proofCase: ProofCase, setting: CaseSetting): Promise<string[]> {
  await using cleanup = new AsyncDisposableStack();
  const { root } = setting;
  const persona = `PERSONA-${randomUUID()}`;
  const rehearsal = await startRehearsal({
    script: scriptOf(proofCase),
    journalFile: join(root, "requests.jsonl"),
  });
  cleanup.defer(() => rehearsal.close());
  const { claudePath } = setting;
  const { tools, flags: own = [] } = proofCase;
  const flags = ["--append-system-prompt-file", write(root, "persona.md", `You are ${persona}.\n`)];
  if (claudePath !== undefined) flags.push("--claude-path", claudePath);
  if (tools) flags.push("--mcp-config", await serveTools(tools, root, cleanup));
  const signal = AbortSignal.any([setting.signal, AbortSignal.timeout(CASE_MS)]);
  const scene = new Scene({
    root,
    flags: [...flags, ...own],
    env: environmentOf(root, rehearsal.url),
    persona,
    requests: () => rehearsal.journal.entries,
    signal,
  });
  try {
    // A case that hangs in a command of its client ends with its signal too.
    await unlessAborted(playScene(proofCase, scene), signal);
  } catch (error) {
    setting.signal.throwIfAborted();
    scene.faults.push(wordsOf(error, signal));
  } finally {
    await scene.close();
  }
  return [...scene.faults, ...judgeAlways(scene.evidence)];
}

async function playScene(proofCase: ProofCase, scene: Scene): Promise<void> {
  await scene.open();
  await proofCase.play(scene);
  await scene.sayGoodbye();
}

/** The farewell comes first: in a request, unanswered messages come before it. */
const scriptOf = ({ name, rules = [] }: ProofCase): ScriptInput => ({
  name,
  rules: [{ when: { user: "good bye" }, text: "Good bye." }, ...rules],
  default: { text: "I am here." },
});

/** Nothing of the user who runs it: no credentials, no settings, no proxy between the CLI and loopback. */
function environmentOf(root: string, url: string): Record<string, string> {
  return childEnvironment({
    allow: ["PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "SHELL", "NODE_COMPILE_CACHE"],
    extra: {
      ...rehearsalEnvironment(url),
      HOME: root,
      TMPDIR: root,
      XDG_STATE_HOME: join(root, "state"),
      CLAUDE_CONFIG_DIR: join(root, "config"),
      CLAUDE_CODE_MAX_RETRIES: "1",
    },
  });
}

/** Serves the case's own functions, and returns the file that names their server. */
async function serveTools(
  tools: readonly Tool[],
  root: string,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  const directory = join(root, "tools");
  mkdirSync(directory, { mode: 0o700 });
  const host = cleanup.use(createToolHost({ name: "proof", tools: [...tools], directory }));
  await host.start();
  return write(root, "mcp.json", JSON.stringify({ mcpServers: { proof: host.mcpServerConfig() } }));
}

function write(root: string, name: string, text: string): string {
  const file = join(root, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const wordsOf = (error: unknown, signal: AbortSignal): string =>
  signal.aborted
    ? `The case did not end within ${CASE_MS / 1000} s.`
    : error instanceof Error
      ? error.message
      : String(error);
