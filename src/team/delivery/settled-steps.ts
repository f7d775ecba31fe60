import { z } from "zod";
import type { Write } from "../../bus/records.ts";
import { pagesOf } from "../../bus/pages.ts";
import { errorOf } from "../../wire/errors.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import type { Office } from "../office.ts";

/** Messages that are out of their inbox, with how they left it, and of which the timeline may not know yet. */
const UNTOLD = "untold-steps";

const SettledStepSchema = z.discriminatedUnion("step", [
  z.object({ step: z.enum(["seen", "returned"]) }),
  z.object({ step: z.literal("withdrawn"), reason: z.string() }),
]);

/** How a message left its inbox for good. */
export type SettledStep = z.infer<typeof SettledStepSchema>;

/** To be written together with the message's leaving: a process that is killed before it tells leaves it to the next. */
export const untoldStep = ({ id }: CCMessage, settled: SettledStep): Write => ({
  kind: "put",
  collection: UNTOLD,
  key: id,
  value: settled,
});

/** The timeline, the log of communication and the task's row hear of it in one write, so each does once. */
export function tellStep(
  { communication, tasks, timeline }: Office,
  message: CCMessage,
  settled: SettledStep,
  atMs: number = Date.now(),
): void {
  const { id, from_agent, to_agent } = message;
  const isDelivered = settled.step !== "withdrawn";
  const logged = isDelivered
    ? communication.writeOfDelivery(message, atMs)
    : communication.writeOfFailure(
        message,
        errorOf("aborted", `Not delivered: ${settled.reason}.`),
      );
  timeline.append({ type: "message_moved", id, from_agent, to_agent, ...settled }, [
    logged,
    { kind: "remove", collection: UNTOLD, key: id },
  ]);
  if (isDelivered && wantsAnswer(message)) tasks.step(id, "delivered");
}

/** What a process before this one has settled, and was ended before it could tell. To be called before anything is settled by this one. */
export async function tellUntoldSteps(office: Office): Promise<void> {
  const { bus } = office;
  const untold = { collection: UNTOLD, order: "oldest" } as const;
  for await (const rows of pagesOf((from) => bus.records.query({ ...untold, ...from }))) {
    for (const { key, value } of rows) {
      const stored = await bus.get(key);
      const settled = SettledStepSchema.safeParse(value);
      if (!stored || !settled.success) continue;
      tellStep(office, stored.message, settled.data, stored.settledAt ?? Date.now());
    }
  }
}
