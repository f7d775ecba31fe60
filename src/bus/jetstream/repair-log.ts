import { systemClock } from "../../time/clock.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { LogSettings } from "../changelog/log-settings.ts";
import { openReplica } from "../changelog/open-logged-database.ts";
import type { MovedMemory } from "./move-memory.ts";
import { COPIER, moveMemoryToNats } from "./move-memory.ts";
import { openJetStream } from "./open-jetstream.ts";
import { readLogStatus } from "./read-log-status.ts";

/**
 * Begins a new log from the replica at `path` when its log is gone. Resolves with undefined when the log has all that the
 * replica has. A log that is there, and lacks entries, is left alone: fails with `bus_invalid`.
 */
export async function repairLog(
  path: string,
  settings: LogSettings,
): Promise<MovedMemory | undefined> {
  try {
    const openStream = async (logId?: string) => (await openJetStream(settings, logId)).stream;
    const parts = await openReplica({ path, openStream, clock: systemClock, writer: "repair" });
    parts.db.close();
    await parts.log.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof ClaudeCodeError) || error.code !== "bus_invalid") throw error;
    const { log, stream } = await readLogStatus(settings);
    // One that an earlier repair has begun is continued, and any other refused.
    if (!log || log.newestOffice?.writer === COPIER) {
      return moveMemoryToNats(path, settings, { rebuilt: true });
    }
    throw errorOf("bus_invalid", error.message, {
      cause: error,
      hint: `The replica here would begin a new log. Keep a copy of ${path}. When no other machine has a newer one, run: nats stream rm ${stream}, and repair again.`,
    });
  }
}
