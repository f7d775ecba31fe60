import type { LoggedTurn } from "../../../engine/recovery/index.ts";
import type { SessionEvent } from "../../../wire/session/events.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { LoadText } from "../engine-message.ts";
import { turnsFromLog } from "./turns-from-log.ts";

const PAGE_EVENTS = 1000;
/** More than a model can be given at once; older text stays in the log. */
const MAX_TEXT_CHARS = 4_000_000;

/** The conversation of the CLI's current session, as far as the log has it. `/clear` begins another one. */
export async function readConversation(
  log: Pick<EventLog, "history">,
  sessionId: string,
  load: LoadText,
): Promise<LoggedTurn[]> {
  const pages: SessionEvent[][] = [];
  let before: number | undefined;
  let chars = 0;
  for (let more = true; more && chars < MAX_TEXT_CHARS;) {
    const page = await log.history(before, PAGE_EVENTS);
    const start = page.events.findLastIndex((event) => begins(event, sessionId));
    const events = page.events.slice(Math.max(start, 0));
    pages.push(events);
    for (const event of events) if ("text" in event) chars += lengthOf(event.text);
    before = events[0]?.seq;
    more = page.more && start === -1 && before !== undefined;
  }
  return turnsFromLog(pages.toReversed().flat(), load);
}

/** The last words of the newest turn that the model completed; undefined when the newest turn was another one. */
export async function readNewestText(
  log: Pick<EventLog, "history">,
  load: LoadText,
): Promise<string | undefined> {
  const { events } = await log.history(undefined, PAGE_EVENTS);
  const turns = await turnsFromLog(events, load);
  const { items = [], completed = false } = turns.at(-1) ?? {};
  const last = items.findLast(({ kind }) => kind !== "message");
  return completed && last?.kind === "text" ? last.text : undefined;
}

const begins = (event: SessionEvent, sessionId: string): boolean =>
  event.type === "session_changed" && event.session_id === sessionId;

const lengthOf = (text: unknown): number => (typeof text === "string" ? text.length : 0);
