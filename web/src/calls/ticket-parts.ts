import type { RefObject } from "preact";
import type { Call } from "./call.ts";
import type { Deciding } from "./use-decision.ts";

/** What each letter does while the focus is in the ticket. */
export type TicketKeys = Readonly<Record<string, () => void>>;

/** What the form of a ticket gets from its frame. */
export interface TicketPart<Asked extends Call["request"] = Call["request"]> {
  readonly call: Call;
  readonly request: Asked;
  readonly deciding: Deciding;
  /** The buttons do nothing: the ticket has just come, or a decision is on its way. */
  readonly isDead: boolean;
  readonly unseenLines: number;
  readonly keys: RefObject<TicketKeys>;
}
