import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Records } from "../../../src/bus/records.ts";
import { readJournalFile } from "../../../src/rehearsal/read-journal.ts";
import { accounts, Spending } from "../../../src/team/record/spending.ts";
import type { Spent } from "../../../src/team/rules/check-budget.ts";
import type { SessionEvent, SessionEventOf } from "../../../src/wire/session/events.ts";
import type { TeamEvent } from "../../../src/wire/team/events.ts";
import type { Task } from "../../../src/wire/team/task.ts";
import { isOfMainAgent, judgePersona } from "../persona.ts";
import { lead, personaOf, roles } from "./demo-team.ts";

/** What one request to the model costs in tokens, as the script says. */
const REQUEST_TOKENS = 1100;
const CENT_OF_A_CENT = 0.0001;

/** A turn as its session has written it down; one that was cut short ends none of its messages itself. */
type Turn = SessionEventOf<"done">;

/** The turns of an agent, each once, with all messages that they were about. */
function turnsIn(stateDir: string, agent: string): Turn[] {
  const directory = join(stateDir, "agents", agent, "state");
  const events = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /events.*\.jsonl$/.test(name))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SessionEvent);
  const begun = new Map(
    events.flatMap((event) =>
      event.type === "turn_started" ? [[event.turn_id, event.messages]] : [],
    ),
  );
  const turns = events.flatMap((event) => (event.type === "done" ? [event] : []));
  const whole = turns.map((turn): [string, Turn] => {
    const messages = [...(begun.get(turn.turn_id) ?? []), ...turn.messages];
    return [turn.turn_id, { ...turn, messages }];
  });
  return [...new Map(whole).values()];
}

const tokensOf = ({ usage }: Turn): number => usage.input_tokens + usage.output_tokens;

const sumOf = (turns: readonly Turn[]): Spent => ({
  usd: turns.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  tokens: turns.reduce((sum, turn) => sum + tokensOf(turn), 0),
  turns: turns.length,
});

const differs = (a: Spent, b: Spent): boolean =>
  Math.abs(a.usd - b.usd) > CENT_OF_A_CENT || a.tokens !== b.tokens || a.turns !== b.turns;

/** Every turn is paid for once, by its agent, by the team, and by the job that it was about. */
export async function judgeSpending(
  stateDir: string,
  records: Records,
  events: readonly TeamEvent[],
  jobs: readonly string[],
): Promise<string[]> {
  const spending = new Spending(records);
  const wrong: string[] = [];
  const compare = async (purse: string, turns: Turn[]): Promise<void> => {
    const [spent, due] = [await spending.of(purse), sumOf(turns)];
    if (differs(spent, due)) {
      wrong.push(`${purse} has spent ${JSON.stringify(spent)}, its turns ${JSON.stringify(due)}`);
    }
  };
  const all = new Map(roles.map((role) => [role, turnsIn(stateDir, role)]));
  for (const [role, turns] of all) await compare(accounts.agent(role), turns);
  const turns = [...all.values()].flat();
  await compare(accounts.team, turns);
  const roots = rootsOf(events);
  for (const job of jobs) {
    await compare(
      accounts.task(job),
      turns.filter(({ messages }) => messages.some((id) => roots.get(id) === job)),
    );
  }
  return wrong;
}

const rootsOf = (events: readonly TeamEvent[]): Map<string, string> =>
  new Map(
    events.flatMap((event) =>
      event.type === "message_sent" ? [[event.message.id, event.message.root_id]] : [],
    ),
  );

/**
 * What was paid for against what the model was asked: never more, and less only where a kill cut an answer off.
 * Every request has the persona of its role.
 */
export async function judgeJournal(
  stateDir: string,
  records: Records,
  struck: ReadonlySet<string>,
): Promise<string[]> {
  const spending = new Spending(records);
  const journal = (await readJournalFile(join(stateDir, "rehearsal.jsonl"))).filter(
    ({ kind }) => kind === "main",
  );
  const wrong = journal.flatMap(({ agent, body, outcome }) => [
    ...(outcome?.result === "no_rule" ? [`no answer for ${agent}: ${outcome.detail}`] : []),
    ...(agent !== lead && JSON.stringify(body).includes("USER-WORDS")
      ? [`${agent} has read what the user said`]
      : []),
  ]);
  wrong.push(...judgePersona(journal.filter(isOfMainAgent), personaOf));
  for (const role of roles) {
    const answered = journal.filter(
      ({ agent, outcome }) => agent === role && outcome?.result === "answered",
    ).length;
    const paid = (await spending.of(accounts.agent(role))).tokens / REQUEST_TOKENS;
    const isRight = struck.has(role) ? paid <= answered : paid === answered;
    if (!isRight) wrong.push(`${role} paid for ${paid} requests, ${answered} were answered`);
  }
  return wrong;
}

/** Every task is completed, each job has its chain of them, and no part outlives the whole. */
export function judgeTasks(events: readonly TeamEvent[], jobs: readonly string[]): string[] {
  const tasks = new Map<string, Task>();
  for (const event of events)
    if (event.type === "task_changed") tasks.set(event.task.id, event.task);
  const wrong = [...tasks.values()]
    .filter(({ state }) => state !== "completed")
    .map(({ title, state, outcome }) => `"${title}" is ${state}: ${outcome}`);
  for (const job of jobs) {
    const workers = [...tasks.values()].filter((task) => task.root_id === job);
    const chain = new Set(workers.map(({ from_agent, to_agent }) => `${from_agent} → ${to_agent}`));
    const due = [
      `user → ${lead}`,
      `${lead} → middle_manager`,
      ...roles.slice(2).map((role) => `middle_manager → ${role}`),
    ];
    if (due.some((step) => !chain.has(step)) || chain.size !== due.length) {
      wrong.push(`job ${job} has the tasks ${[...chain].join(", ")}`);
    }
    for (const task of workers) {
      const parent = task.parent === null ? undefined : tasks.get(task.parent);
      if (task.id !== job && parent?.to_agent !== task.from_agent) {
        wrong.push(`"${task.title}" has the wrong parent`);
      }
    }
  }
  return wrong;
}

/** Each approval request was decided by the policy, or asked again after a kill. */
export function judgeApprovals(events: readonly TeamEvent[]): string[] {
  const resolved = new Map(
    events.flatMap((event) =>
      event.type === "approval_resolved" ? [[event.request_id, event]] : [],
    ),
  );
  return events.flatMap((event) => {
    if (event.type !== "approval_requested") return [];
    const { request_id } = event.request;
    const end = resolved.get(request_id);
    if (!end) return [`${request_id} of ${event.agent} was never decided`];
    const isRight =
      end.outcome === "superseded" || (end.outcome === "allowed" && end.by === "policy");
    return isRight ? [] : [`${request_id} of ${event.agent}: ${end.outcome} by ${end.by}`];
  });
}
