import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { rehearsalEnvironment, startRehearsal } from "agent-switchboard/rehearsal";

/**
 * Sessions of the real Claude Code whose model follows a script, so that an example needs no key and
 * always does the same. With a real model nothing changes but the environment.
 *
 * @param script what the model says to each request.
 * @param use gets `ask(prompt, mcpServers)`, which resolves with the session's last words.
 */
export async function withRehearsedModel(script, use) {
  const rehearsal = await startRehearsal({ script });
  const place = mkdtempSync(join(tmpdir(), "switchboard-example-"));
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    CLAUDE_CONFIG_DIR: join(place, "config"),
    ...rehearsalEnvironment(rehearsal.url),
  };
  const ask = async (prompt, mcpServers) => {
    // A server's name alone allows all its tools.
    const allowedTools = Object.keys(mcpServers).map((name) => `mcp__${name}`);
    const options = { cwd: place, env, settingSources: [], mcpServers, allowedTools };
    let words = "";
    for await (const message of query({ prompt, options })) {
      if (message.type === "result") words = message.result;
    }
    return words;
  };
  try {
    await use(ask);
  } finally {
    await rehearsal.close();
    rmSync(place, { recursive: true, force: true });
  }
}
