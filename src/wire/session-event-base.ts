import { RequestIdSchema, SeqSchema, TimestampSchema, TurnIdSchema } from "./ids.ts";
import { typedSchema } from "./typed-schema.ts";

const logged = { seq: SeqSchema, at: TimestampSchema, turn_id: TurnIdSchema.optional() };

/** An event of the log. It carries `turn_id` when it belongs to a turn. */
export const event = typedSchema("Event", logged);

/** An event that the main agent or one of its sub-agents causes. */
export const agentEvent = typedSchema("Event", {
  ...logged,
  parent: RequestIdSchema.optional().describe(
    "The call that started the sub-agent whose event it is.",
  ),
});
