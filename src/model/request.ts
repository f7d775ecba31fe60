import { randomUUID } from "node:crypto";
import type { EngineEvent, TurnEndedEvent } from "../engine/events.ts";
import { fromWire } from "../wire/error-wire.ts";
import { errorOf } from "../wire/errors.ts";
import { EventStream } from "./event-stream.ts";
import { tellListener } from "./listener.ts";
import type { Prompt } from "./messages.ts";
import type { RequestOptions } from "./model-options.ts";
import { sessionOptions } from "./session-options.ts";
import type { Toolset } from "./tool-session.ts";
import { ToolSession } from "./tool-session.ts";

const TIMEOUT_MS = 120_000;

export interface RequestSetting {
  prompt: Prompt;
  toolset: Toolset | undefined;
  options: RequestOptions;
  outputSchema?: Parameters<typeof sessionOptions>[0]["outputSchema"];
}

/**
 * One request: a session that is started for it and ended with it, whatever happens. Gives its events; the
 * last one is the end of the turn, also of a turn that failed.
 *
 * @throws what ended it early: `aborted`, `timeout`, `bridge_startup`, `cli_exited`, …
 */
export async function* runRequest(setting: RequestSetting): AsyncGenerator<EngineEvent, void> {
  const { prompt, toolset, options, outputSchema } = setting;
  if (options.signal?.aborted) throw abortError(options.signal.reason);
  const events = new EventStream<EngineEvent>();
  const release = endInTime(options, (error) => events.end(error));
  const id = randomUUID();
  let session: ToolSession | undefined;
  try {
    session = await ToolSession.start({
      ...sessionOptions({ options, system: prompt.system, outputSchema }),
      toolset,
      onToolsMissing: (error) => events.end(error),
      onEvent: (event) => {
        events.push(event);
        tellListener(options.onMessage, event);
        if (event.type === "turn_ended" && endsRequest(event, id)) events.end();
        if (event.type === "closed") events.end(event.error && fromWire(event.error));
      },
    });
    session.engine.push({ id, content: prompt.content, verbatim: true });
    yield* events;
  } finally {
    release();
    await session?.close();
  }
}

/** Some failures do not say which message they end; a resumed session may have a turn of its own before. */
const endsRequest = ({ messages }: TurnEndedEvent, id: string): boolean =>
  messages.includes(id) || messages.length === 0;

/** Gives back how to let go of the clock and the signal. */
function endInTime(
  { signal, timeoutMs = TIMEOUT_MS }: RequestOptions,
  end: (error: unknown) => void,
): () => void {
  const abort = (): void => end(abortError(signal?.reason));
  signal?.addEventListener("abort", abort);
  const seconds = timeoutMs / 1000;
  const timer =
    timeoutMs > 0 &&
    setTimeout(() => {
      const data = { timeout_seconds: seconds };
      end(errorOf("timeout", `The request did not end within ${seconds} s.`, { data }));
    }, timeoutMs);
  return () => {
    if (timer) clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}

function abortError(reason: unknown) {
  return errorOf("aborted", "The request was aborted.", {
    cause: reason,
    hint: "The session was ended. Tools may have done part of their work.",
  });
}
