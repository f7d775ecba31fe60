import type { SessionClient, SessionView } from "../../client/core.ts";
import { formFields } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import { EffortSchema, PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import { ApprovalScopeSchema } from "../../wire/session/shared-schemas.ts";
import { TitleSchema } from "../../wire/session/title.ts";
import { check } from "../../wire/check-message.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { replyIn } from "./elicitation-form.ts";
import type { QueuedMessage } from "./queued-messages.ts";
import { queuedBy, queuedIn, queueRows } from "./queued-messages.ts";
import { answersIn } from "./request-choices.ts";
import type { SearchPages } from "./search-pages.ts";

export const ownCommandsHelp = `/quit  leave; the session goes on
/show [NUMBER]  show the output or the changes of a tool in full, by default the newest
/find TEXT  search the whole conversation; /find alone shows older places
/queue  list your messages that wait; /drop NUMBER takes one back, /edit NUMBER to change it
/abort  end the running turn, as Esc does
/approve [ID] [once|session|always], /deny [ID] [REASON]  answer a request
/answer [ID] NUMBER or WORDS  answer a question; several with ; between their answers
/respond [ID] NAME=VALUE; NAME=VALUE or accept, decline, cancel  answer what an MCP server asks
/mode MODE, /model MODEL, /effort LEVEL  change how the session goes on
/rename TITLE  give the conversation a title
/help  show this
Every other line is a message. Claude Code's own commands, as /compact, and those of the project work too.
A line that begins with a space is always a message.`;

/** What the person wants from this program itself. */
export type OwnOutcome =
  | "quit"
  | "help"
  /** A message was sent that wakes an agent. */
  | "sent"
  | { readonly show: number | undefined }
  | { readonly tell: string }
  /** A text that goes back to where the person writes. */
  | { readonly edit: string }
  | undefined;

/** What commands need to know of the session and of the person's screen. */
export interface OwnContext {
  readonly pending: readonly PendingRequest[];
  readonly queued: readonly QueuedMessage[];
  readonly search: SearchPages;
  /** There is a line that the person can edit. */
  readonly hasInput: boolean;
}

export const contextOf = (
  view: SessionView,
  search: SearchPages,
  hasInput: boolean,
): OwnContext => ({ pending: view.pending, queued: queuedIn(view), search, hasInput });

/** Carries out a line that is for this program and not for the model. Returns undefined for any other line. */
export function ownCommand(
  line: string,
  client: SessionClient,
  context: OwnContext,
): Promise<OwnOutcome> | undefined {
  const [name = "", ...words] = line.trimEnd().split(/\s+/);
  // A message may begin with `constructor`, which every object has.
  const act = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return act?.(client, words, context, line.slice(name.length).trim());
}

type Act = (
  client: SessionClient,
  words: string[],
  context: OwnContext,
  /** What follows the name, as it was written. */
  rest: string,
) => Promise<OwnOutcome>;

const tooLate = {
  tell: "Too late: the model has the message, or is about to get it.",
} as const;

const commands: Readonly<Record<string, Act | undefined>> = {
  "/quit": async () => "quit",
  "/exit": async () => "quit",
  "/help": async () => "help",
  "/show": async (_, [number]) => {
    if (number !== undefined && !/^\d+$/.test(number)) {
      throw errorOf("invalid_params", `/show needs the number of an output, not "${number}".`);
    }
    return { show: number === undefined ? undefined : Number(number) };
  },
  "/find": async (_, _words, { search }, rest) => ({ tell: await search.find(rest) }),
  "/queue": async (_, _words, { queued }) => ({ tell: queueRows(queued) }),
  "/drop": async (client, [number], { queued }) => {
    const { id } = queuedBy(number, queued, "/drop");
    return (await client.drop(id)) === "dropped" ? undefined : tooLate;
  },
  "/edit": async (client, [number], { queued, hasInput }) => {
    const { id, text } = queuedBy(number, queued, "/edit");
    // Before it is dropped: it would be lost.
    if (!hasInput || text === undefined) {
      throw errorOf("invalid_params", "This message cannot be changed here.", {
        hint: hasInput
          ? "It is more than a short text. /drop takes it back; then send it again."
          : "/drop takes it back; then send another one.",
      });
    }
    return (await client.drop(id)) === "dropped" ? { edit: text } : tooLate;
  },
  "/abort": async (client) => nothing(client.abort()),
  "/approve": async (client, words, { pending }) => {
    const id = takeId(words, pending, isScope(words[0]) ? undefined : words[0]);
    const scope = words[0] === undefined ? "once" : valid(ApprovalScopeSchema, words[0], "scope");
    return nothing(client.approve(id, { scope }));
  },
  "/deny": async (client, words, { pending }) => {
    const id = takeId(words, pending, idForm.test(words[0] ?? "") ? words[0] : undefined);
    return nothing(client.deny(id, words.length > 0 ? { reason: words.join(" ") } : {}));
  },
  "/answer": async (client, words, { pending }) => {
    const asked = pending.filter(({ type }) => type === "question");
    const id = takeId(words, asked, idForm.test(words[0] ?? "") ? words[0] : undefined);
    const request = asked.find(({ request_id }) => request_id === id);
    if (request?.type !== "question") {
      throw errorOf("unknown_request", `No question ${id} waits for an answer.`);
    }
    const { questions } = request;
    const line = words.join(" ");
    const answers = answersIn(questions.length === 1 ? [line] : line.split(";"), questions);
    return nothing(client.answer(id, answers));
  },
  "/rename": async (client, words) =>
    nothing(client.rename(valid(TitleSchema, words.join(" "), "/rename"))),
  "/respond": async (client, words, { pending }) => {
    const asked = pending.filter(({ type }) => type === "elicitation");
    const id = takeId(words, asked, idForm.test(words[0] ?? "") ? words[0] : undefined);
    const request = asked.find(({ request_id }) => request_id === id);
    if (request?.type !== "elicitation") {
      throw errorOf("unknown_request", `No MCP server waits for an answer to ${id}.`);
    }
    const line = words.join(" ");
    const { action, content } = replyIn(line.startsWith("{") ? [line] : line.split(";"), request);
    return nothing(client.respond(id, action, content));
  },
  "/mode": async (client, [mode]) =>
    nothing(client.setMode(valid(PermissionModeSchema, mode, "mode"))),
  "/model": async (client, [model]) => {
    if (model === undefined) throw errorOf("invalid_params", "/model needs the name of a model.");
    return nothing(client.setModel(model));
  },
  "/effort": async (client, [effort]) =>
    nothing(client.setThinking(effort === "auto" ? null : valid(EffortSchema, effort, "effort"))),
};

/** Their names, without the slash. */
export const ownCommandNames: readonly string[] = Object.keys(commands).map((each) =>
  each.slice(1),
);

/** What an observer can do, too. */
export const isForWatchers = (line: string): boolean =>
  /^\/(?:quit|exit|help|show|find|queue)(?:\s|$)/.test(line);

async function nothing(work: Promise<void>): Promise<undefined> {
  await work;
}

const isScope = (word: string | undefined): boolean =>
  word === undefined || ApprovalScopeSchema.safeParse(word).success;

/** A reason hardly begins with this. */
const idForm = /^(?:toolu|foreign|elicit)_\S+$/;

/**
 * The named id, or the oldest waiting request. `id`: the first word must be an id, even an unknown one; the session
 * then reports it, and no other request is answered instead.
 */
function takeId(
  words: string[],
  pending: readonly PendingRequest[],
  id: string | undefined,
): string {
  const named = id ?? pending.find(({ request_id }) => request_id === words[0])?.request_id;
  if (named !== undefined) words.shift();
  const chosen = named ?? pending[0]?.request_id;
  if (chosen === undefined) throw errorOf("unknown_request", "Nothing waits for an answer.");
  return chosen;
}

function valid<S extends Parameters<typeof check>[0]>(schema: S, value: unknown, name: string) {
  const checked = check(schema, value, name);
  if (!checked.ok) throw checked.error;
  return checked.value;
}

/** The line with which a person answers a request. */
export function commandsFor(request: PendingRequest): string {
  const { request_id: id } = request;
  switch (request.type) {
    case "question": {
      const answers = request.questions.length === 1 ? "ANSWER" : "ANSWER; ANSWER";
      return `/answer ${id} ${answers} or /deny ${id}`;
    }
    case "elicitation": {
      const names = formFields(request.schema).map(({ name }) => `${name}=VALUE`);
      const accept = names.length === 0 ? "accept" : names.join("; ");
      return `/respond ${id} ${accept} or /respond ${id} decline`;
    }
    case "plan":
      return `/approve ${id} or /deny ${id} WHAT TO CHANGE`;
    default:
      return `/approve ${id} or /deny ${id}`;
  }
}
