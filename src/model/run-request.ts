import { randomUUID } from "node:crypto";
import type { EngineEvent, TurnEndedEvent } from "../engine/index.ts";
import { EventStream } from "./event-stream.ts";
import { abortError, endInTime } from "./end-in-time.ts";
import { tellListener } from "./call-listener.ts";
import type { Prompt } from "./to-prompt.ts";
import type { RequestOptions } from "./model-options.ts";
import { sessionLost } from "./session-lost-errors.ts";
import { sessionOptions } from "./session-options.ts";
import { ToolSession } from "./tool-session.ts";
import type { Toolset } from "./toolset.ts";

export interface RequestSetting {
  prompt: Prompt;
  toolset: Toolset | undefined;
  options: RequestOptions;
  outputSchema?: Parameters<typeof sessionOptions>[0]["outputSchema"];
}

/**
 * One request: a session that is started for it and ended with it. Yields its events; the last one is the end of the
 * turn, also of a failed one.
 *
 * @throws what ended it early: `aborted`, `timeout`, `bridge_startup`, `cli_exited`, …
 */
export async function* runRequest(setting: RequestSetting): AsyncGenerator<EngineEvent, void> {
  const { prompt, toolset, options, outputSchema } = setting;
  if (options.signal?.aborted) throw abortError(options.signal.reason);
  const events = new EventStream<EngineEvent>();
  const release = endInTime(options, (error) => events.end(error));
  const id = randomUUID();
  let sessionId = "";
  let session: ToolSession | undefined;
  try {
    session = await ToolSession.start({
      ...sessionOptions({ options, system: prompt.system, outputSchema, toolset: toolset?.name }),
      toolset,
      onToolsMissing: (error) => events.end(error),
      onEvent: (event) => {
        events.push(event);
        tellListener(options.onMessage, event);
        if (event.type === "ready") sessionId = event.session_id;
        if (event.type === "turn_ended" && endsRequest(event, id)) events.end();
        if (event.type === "closed") events.end(sessionLost(event.error, sessionId));
      },
    });
    const begun = session.begin({ id, content: prompt.content, verbatim: true });
    begun.catch((error: unknown) => events.end(error));
    yield* events;
  } finally {
    release();
    await session?.close();
  }
}

/** Some failures do not name the message that they end; a resumed session may have a turn of its own before. */
const endsRequest = ({ messages }: TurnEndedEvent, id: string): boolean =>
  messages.includes(id) || messages.length === 0;
