import type { Records, Write } from "../../bus/records.ts";
import type { TurnPlace } from "../../wire/team/events.ts";
import { TurnPlaceSchema } from "../../wire/team/events.ts";

/** By message: the turn that has it. */
const TURNS = "message-turns";

/** The writes to be made together with the event that reports the turn. */
export const writesOfTurn = (messageId: string, turn: TurnPlace | undefined): Write[] =>
  turn ? [{ kind: "put", collection: TURNS, key: messageId, value: { ...turn } }] : [];

export async function turnOfMessage(
  records: Pick<Records, "get">,
  messageId: string,
): Promise<TurnPlace | undefined> {
  return TurnPlaceSchema.safeParse((await records.get(TURNS, messageId))?.value).data;
}
