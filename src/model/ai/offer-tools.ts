import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "../../bridge/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { ToolSession } from "../tool-session.ts";

const WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;

/** Changes a session's tools, and waits until it has them: the model must not be called with the old ones. */
export async function offerTools(
  { engine, host }: ToolSession,
  tools: readonly Tool[],
): Promise<void> {
  if (!host) return;
  host.replaceTools(tools);
  const wanted = tools
    .map(({ name }) => name)
    .sort()
    .join();
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const servers = await engine.mcpServers();
    const own = servers.find(({ name }) => name === host.name);
    if (own?.tools.toSorted().join() === wanted) return;
    if (Date.now() > deadline) {
      const has = own?.tools.join(", ") || "none";
      throw errorOf("bridge_startup", `Claude Code did not load the new tools. It has: ${has}.`);
    }
    await delay(LOOK_EVERY_MS);
  }
}
