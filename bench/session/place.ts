import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rehearsal, ScriptInput } from "../../src/rehearsal/index.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/index.ts";
import type { Place } from "./way.ts";

export const DELTAS = 5000;
const WORD = "word ";

/** What the model does when it is told one of these. */
export const said = { mark: "Make the mark.", tell: "Tell a story.", flood: "Flood me." };

export const script: ScriptInput = {
  rules: [
    { when: { tool_result: "Bash" }, text: "It is made." },
    {
      when: { user: said.mark },
      text: "I make it.",
      tools: [{ name: "Bash", input: { command: "echo x > mark" } }],
    },
    { when: { user: said.tell }, text: WORD.repeat(DELTAS), delta_chars: WORD.length },
    // More than a session keeps in memory for a client that does not read.
    { when: { user: said.flood }, text: "x".repeat(6_000_000), delta_chars: 6000 },
    { text: "I am here." },
  ],
};

/** A home, a project and a state directory that nobody else has. */
export async function inPlace<T>(
  rehearsal: Rehearsal,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "bench-session-"));
  const cwd = join(root, "project");
  mkdirSync(cwd);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    CLAUDE_CONFIG_DIR: join(root, "claude"),
    XDG_STATE_HOME: join(root, "state"),
    // As on a machine where it has run before: only agent-socket keeps compiled code there, the others do not.
    XDG_CACHE_HOME: join(import.meta.dirname, "../results/cache"),
    ...rehearsalEnvironment(rehearsal.url),
  };
  try {
    return await work({ cwd, env, rehearsal });
  } finally {
    // A CLI that is about to end may still write.
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
