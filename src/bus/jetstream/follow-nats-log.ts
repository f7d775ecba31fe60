import { pause } from "../../time/abortable-waits.ts";
import { systemClock } from "../../time/clock.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { followToEnd, openReplica } from "../changelog/open-logged-database.ts";
import type { LogSettings } from "../changelog/log-settings.ts";
import { openJetStream } from "./open-jetstream.ts";

const AGAIN_MS = 1000;

/**
 * Keeps the replica at `path` near the end of the log until the signal is aborted, so that this process can become the office
 * quickly. When it resolves, the replica is closed. Fails as `openNatsBus` does, but waits for servers that are away.
 */
export async function followNatsLog(
  path: string,
  settings: LogSettings,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(path, settings, signal);
    } catch (error) {
      if (!(error instanceof ClaudeCodeError) || error.code !== "bus_unavailable") throw error;
    }
    await pause(AGAIN_MS, signal);
  }
}

async function followOnce(path: string, settings: LogSettings, signal: AbortSignal): Promise<void> {
  const parts = await openReplica({
    path,
    writer: "",
    clock: systemClock,
    openStream: async (logId) => (await openJetStream(settings, logId)).stream,
  });
  try {
    while (!signal.aborted) {
      await pause(AGAIN_MS, signal);
      if (!signal.aborted) await followToEnd(parts);
    }
  } finally {
    parts.db.close();
    await parts.log.close();
  }
}
