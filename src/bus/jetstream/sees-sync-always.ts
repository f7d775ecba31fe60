import type { StreamInfo } from "@nats-io/jetstream";
import { z } from "zod";

const MONITOR_MS = 2_000;

const MonitorAnswer = z.object({
  server_id: z.string(),
  server_name: z.string(),
  cluster: z.object({ name: z.string().optional() }).optional(),
  jetstream: z.object({ config: z.object({ sync_always: z.boolean().optional() }).optional() }),
});

/**
 * Whether every server that stores the stream was seen to write each entry to the disk before it acknowledges it. Ordinary
 * accounts cannot see it, so the servers' monitoring ports are asked. What was not seen does not count.
 */
export async function seesSyncAlways(
  { cluster }: Pick<StreamInfo, "cluster">,
  connectedToId: string,
  monitors: readonly string[],
): Promise<boolean> {
  const seen = (await Promise.all(monitors.map(askIfSyncAlways))).filter(
    (each) => each !== undefined,
  );
  if (cluster?.leader === undefined) {
    return seen.some(({ server_id }) => server_id === connectedToId);
  }
  // In a cluster, and only there, each name belongs to one server.
  const own = seen.filter((each) => each.cluster?.name === cluster.name);
  const stored = [cluster.leader, ...(cluster.replicas ?? []).map(({ name }) => name)];
  return stored.every((name) => own.some(({ server_name }) => server_name === name));
}

/** What the server says of itself, if it has JetStream and syncs always. */
async function askIfSyncAlways(
  monitor: string,
): Promise<z.infer<typeof MonitorAnswer> | undefined> {
  try {
    const signal = AbortSignal.timeout(MONITOR_MS);
    const response = await fetch(new URL("/varz", monitor), { signal });
    const answer = MonitorAnswer.safeParse(await response.json());
    return answer.success && answer.data.jetstream.config?.sync_always ? answer.data : undefined;
  } catch {
    return undefined;
  }
}
