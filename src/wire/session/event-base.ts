import { RequestIdSchema, SeqSchema, TimestampSchema, TurnIdSchema } from "../id-schemas.ts";
import { typedSchema } from "../typed-schema.ts";

const numbered = { seq: SeqSchema, turn_id: TurnIdSchema.optional() };
const logged = { ...numbered, at: TimestampSchema };
const ofAgent = {
  parent: RequestIdSchema.optional().describe(
    "The call that started the sub-agent whose event it is.",
  ),
};

/** An event of the log. It carries `turn_id` when it belongs to a turn. */
export const event = typedSchema("Event", logged);

/** An event that the main agent or one of its sub-agents causes. */
export const agentEvent = typedSchema("Event", { ...logged, ...ofAgent });

/** A piece of something. Pieces come by the thousand, so they omit the time. */
export const deltaEvent = typedSchema("Event", { ...numbered, ...ofAgent });
