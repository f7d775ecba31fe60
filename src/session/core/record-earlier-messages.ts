import { configDirOf, earlierMessages, findTranscript } from "../../engine/recovery/index.ts";
import type { SessionContext } from "./session-context.ts";

/** When a log begins in the middle of a conversation, records the messages before it. */
export function recordEarlierMessages({
  options,
  recorder,
}: Pick<SessionContext, "options" | "recorder">): void {
  const { origin, env } = options;
  const path = origin && findTranscript(configDirOf(env), origin.resume);
  if (path === undefined) return;
  const { messages, omitted } = earlierMessages(path, origin?.at);
  if (messages.length > 0) recorder.record({ type: "earlier", messages, omitted });
}
