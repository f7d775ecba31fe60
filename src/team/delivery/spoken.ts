import type { Bus } from "../../bus/bus.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { StoredText } from "../../wire/blob.ts";
import type { StoredContentBlock } from "../../wire/content.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { CCMessageSchema } from "../../wire/team/messages.ts";
import { compose } from "../messages/compose.ts";
import { fitting } from "../messages/fitting.ts";
import { USER } from "../../wire/team/senders.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Outbox } from "./outbox.ts";

type Spoken = SessionEventOf<"user_message">;

/** Only the user's own words count, and only those that start a turn. A message of the bus has a UUID. */
const isOfPerson = ({ id, from, quiet }: Spoken): boolean =>
  from === undefined && quiet !== true && CCMessageSchema.shape.id.safeParse(id).data === id;

/**
 * What a person says straight to an agent's session, as `switchboard attach` does, is recorded like what
 * `switchboard send` says: as a message of the user, with a task that the turn's final text answers. It is in the
 * session's log already, so nothing is delivered. Heard again after a restart, it is recorded once.
 */
export async function recordSpoken(
  { bus, tasks, outbox }: { bus: Pick<Bus, "get">; tasks: TaskBook; outbox: Outbox },
  agent: AgentId,
  event: Spoken,
): Promise<void> {
  if (!isOfPerson(event) || (await bus.get(event.id))) return;
  const message = compose({
    id: event.id,
    from: USER,
    input: { to: agent, content: fitting(wordsOf(event)) },
    answered: undefined,
    thread: undefined,
    now: new Date(event.at),
  });
  await outbox.record(message, tasks.rowOf(message, undefined, []), event.by);
}

function wordsOf({ text, content = [] }: Spoken): string {
  const words = text === undefined ? content.map(wordsOfBlock).join("\n") : textOf(text);
  return words === "" ? "(without words)" : words;
}

const wordsOfBlock = (block: StoredContentBlock): string =>
  block.type === "text" ? textOf(block.text) : `[${block.type}]`;

const textOf = (stored: StoredText): string =>
  typeof stored === "string" ? stored : stored.preview;
