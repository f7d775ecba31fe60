import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../../../engine/index.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { SessionOptions } from "../session-types.ts";

const WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;

/** The names of all MCP servers: a running CLI knows them, also those of settings and plugins. */
export async function serverNames(
  engine: Engine | undefined,
  { mcpServers = {} }: SessionOptions,
  { mcpServers: told = [] }: SessionState,
): Promise<string[]> {
  const given = Object.keys(mcpServers);
  try {
    await engine?.ready();
    const known = (await engine?.mcpServers()) ?? told;
    return [...given, ...known.map(({ name }) => name)];
  } catch {
    // The CLI is gone. The next one is told about the servers that we know.
    return [...given, ...told.map(({ name }) => name)];
  }
}

/**
 * Resolves when the CLI lists these tools of a server; a CLI that is lost meanwhile gets them at its next start.
 *
 * @throws `bridge_startup` when it does not list them in time.
 */
export async function untilKnown(
  life: { readonly engine: Engine | undefined },
  server: string,
  tools: readonly string[],
): Promise<void> {
  const { engine } = life;
  const wanted = tools.toSorted().join();
  if (!engine) return;
  const deadline = Date.now() + WITHIN_MS;
  while (life.engine === engine) {
    try {
      const servers = await engine.mcpServers();
      const own = servers.find(({ name }) => name === server);
      if (own?.tools.toSorted().join() === wanted) return;
    } catch (error) {
      if (engine === life.engine) throw error;
      return;
    }
    if (Date.now() > deadline) {
      throw errorOf("bridge_startup", `Claude Code did not load the tools of ${server}.`);
    }
    await delay(LOOK_EVERY_MS);
  }
}
