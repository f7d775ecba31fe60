import { errorOf } from "../../wire/errors.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { WaitEnd, Waits } from "../delivery/open-waits.ts";
import { waitOf } from "../delivery/open-waits.ts";

export interface WaitRequest {
  readonly message: CCMessage;
  readonly alsoFor: readonly string[];
  readonly toolUseId: string | undefined;
  readonly timeoutMs: number;
  /** The clock stands still while a person has to decide something for the awaited agent. */
  readonly isPaused: () => boolean;
  readonly signal: AbortSignal;
  /** Tells the waiting agent that the team is alive; called every few seconds. */
  readonly progress: (waitedMs: number, paused: boolean) => void;
}

const TICK_MS = 250;
const PROGRESS_MS = 5000;

export interface OpenedWait {
  /** @throws `timeout`; what the signal says. */
  readonly ended: Promise<WaitEnd>;
  /** Ends the wait. */
  giveUp(): void;
}

/** Begins to wait. Call it before the message is sent, because the answer may come at once. */
export function openWait(waits: Waits, request: WaitRequest): OpenedWait {
  const { message, timeoutMs, isPaused, signal, progress } = request;
  const ended = Promise.withResolvers<WaitEnd>();
  const wait = {
    ...waitOf(message),
    messageId: message.id,
    alsoFor: request.alsoFor,
    toolUseId: request.toolUseId,
    end: ended.resolve,
  };
  let waitedMs = 0;
  let sinceToldMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const passedMs = nowMs - lastMs;
    lastMs = nowMs;
    const paused = isPaused();
    if (!paused) waitedMs += passedMs;
    sinceToldMs += passedMs;
    if (sinceToldMs >= PROGRESS_MS) {
      sinceToldMs = 0;
      progress(waitedMs, paused);
    }
    if (waitedMs >= timeoutMs) ended.reject(timedOut(message, timeoutMs));
  }, TICK_MS);
  const abort = (): void => ended.reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  const finish = (): void => {
    clearInterval(timer);
    signal.removeEventListener("abort", abort);
    waits.remove(wait);
  };
  waits.add(wait);
  if (signal.aborted) abort();
  const giveUp = (): void => ended.reject(errorOf("aborted", "The wait was ended."));
  return { ended: ended.promise.finally(finish), giveUp };
}

function timedOut({ to_agent, id }: CCMessage, timeoutMs: number): Error {
  const seconds = timeoutMs / 1000;
  return errorOf("timeout", `${to_agent} has not answered within ${seconds} s.`, {
    data: { timeout_seconds: seconds, agent_id: to_agent, message_id: id },
    hint: "The message was delivered or will be. The answer, if there is one, comes later as a message.",
  });
}
