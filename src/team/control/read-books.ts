import type { DeadLetter } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamMethod, TeamParams, TeamStatus } from "../../wire/team/control.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Books } from "../books.ts";
import { USER } from "../../wire/team/senders.ts";
import { purses } from "../record/spending.ts";

type Reading = "log" | "message" | "tasks" | "dead_letters";

type Readers = {
  [Method in Extract<TeamMethod, Reading>]: (
    books: Books,
    params: TeamParams<Method>,
  ) => Promise<unknown>;
};

/** More answers to one message than anybody gives. */
const MAX_ANSWERS = 100;

/** Methods of the control socket that only read: of a running team as of one that is stopped. */
export const readers: Readers = {
  tasks: async ({ tasks }, { all, limit }) => ({
    tasks: all ? await tasks.list(limit) : tasks.open().slice(0, limit),
  }),
  log: ({ communication }, { level, from, to, type, limit, before }) =>
    communication.query({
      level,
      limit,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(type !== undefined && { type }),
      ...(before !== undefined && { before }),
    }),
  message: async ({ bus, timeline }, { id }) => {
    const stored = await bus.get(id);
    if (!stored) throw errorOf("unknown_request", `There is no message ${id}.`);
    const { message, state, attempts, sentAt } = stored;
    const replies = await bus.history({ replyTo: id, limit: MAX_ANSWERS });
    const answered = message.from_agent === USER && (await timeline.answerTo(id, sentAt));
    return {
      message,
      state,
      attempts,
      answers: replies.items.map((reply) => reply.message),
      ...(answered && { answered }),
    };
  },
  dead_letters: async ({ bus: { deadLetters } }, { id, all, limit }) => {
    if (id === undefined) {
      return { dead_letters: (await deadLetters.list({ all, limit })).items.map(inWireNames) };
    }
    const letter = await deadLetters.get(id);
    if (!letter) throw noDeadLetter(id);
    return { dead_letters: [inWireNames(letter)] };
  },
};

/** `diedAt` and `resentAs` stay beside them for as long as the protocol has version 1. */
const inWireNames = (letter: DeadLetter) => ({
  ...letter,
  died_at: letter.diedAt,
  resent_as: letter.resentAs,
});

export const noDeadLetter = (id: string) =>
  errorOf(
    "unknown_request",
    `There is no dead letter ${id}, or it was already resent or discarded.`,
    {
      hint: "'switchboard dlq' lists them.",
    },
  );

type Counts = "log_id" | "last_seq" | "open_tasks" | "dead_letters" | "refusals" | "cost_usd";

/** What the books say of the team as a whole. */
export async function countsOf(books: Books): Promise<Pick<TeamStatus, Counts>> {
  const { bus, spending, tasks, timeline } = books;
  return {
    log_id: timeline.logId,
    last_seq: timeline.lastSeq,
    open_tasks: tasks.open().length,
    dead_letters: (await bus.deadLetters.list({ limit: 1000 })).items.length,
    refusals: await books.refusals(),
    cost_usd: (await spending.of(purses.team)).usd,
  };
}

/** What the books say of one agent. */
export async function accountOf(
  { spending }: Books,
  id: AgentId,
): Promise<{ cost_usd: number; turns: number }> {
  const { usd, turns } = await spending.of(purses.agent(id));
  return { cost_usd: usd, turns };
}
