import type { StreamInfo } from "@nats-io/jetstream";
import { z } from "zod";

const MONITOR_MS = 2_000;

const MonitorAnswer = z.object({
  server_name: z.string(),
  jetstream: z.object({ config: z.object({ sync_always: z.boolean().optional() }).optional() }),
});

/**
 * Whether every server that stores the stream was seen to write each entry to the disk before it acknowledges it. Ordinary
 * accounts cannot see it, so the servers' monitoring ports are asked. What was not seen does not count.
 */
export async function seesSyncAlways(
  { cluster }: Pick<StreamInfo, "cluster">,
  connectedTo: string,
  monitors: readonly string[],
): Promise<boolean> {
  const names = [
    cluster?.leader ?? connectedTo,
    ...(cluster?.replicas ?? []).map(({ name }) => name),
  ];
  const seen = new Set(await Promise.all(monitors.map(nameIfSyncAlways)));
  return names.every((name) => seen.has(name));
}

/** The name of the server, if it has JetStream and syncs always. */
async function nameIfSyncAlways(monitor: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(MONITOR_MS);
    const response = await fetch(new URL("/varz", monitor), { signal });
    const answer = MonitorAnswer.safeParse(await response.json());
    if (!answer.success || !answer.data.jetstream.config?.sync_always) return undefined;
    return answer.data.server_name;
  } catch {
    return undefined;
  }
}
