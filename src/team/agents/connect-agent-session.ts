import { SessionClient } from "../../client/index.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { parseSessionMessage } from "../../wire/session/answers.ts";
import type { RetryPolicy } from "../../wire/timeouts.ts";
import type { AgentRun } from "../host/agent-host.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { AgentNote } from "./stored-agent-record.ts";

/** While the run lives, a broken connection comes back within moments or not at all. */
const mending: RetryPolicy = { tries: 5, firstDelayMs: 50, maxDelayMs: 500, factor: 2 };

/**
 * Connects to the session of a run, and asks for the events after the last settled one.
 *
 * @throws why the run has ended, when it ends first; the signal's reason.
 */
export async function connectAgentSession(
  run: AgentRun,
  { since = 0, log_id: logId, epoch }: AgentNote,
  signal: AbortSignal,
): Promise<SessionClient> {
  const giveUp = new AbortController();
  const connecting = SessionClient.open(
    async (trying) => channel(await run.openSession(trying), jsonLines),
    {
      name: SWITCHBOARD,
      since,
      ...(logId !== undefined && { logId }),
      ...(epoch !== undefined && { epoch }),
      policy: mending,
      check: parseSessionMessage,
    },
    giveUp.signal,
  );
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const stop = (): void => failed.reject(signal.reason as Error);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  void run.gone.then(({ why }) => failed.reject(why));
  try {
    return await Promise.race([connecting, failed.promise]);
  } catch (error) {
    giveUp.abort();
    void connecting.then((late) => late.close()).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
