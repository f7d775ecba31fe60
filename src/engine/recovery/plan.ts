import { randomUUID } from "node:crypto";
import type { JsonValue } from "../../wire/json.ts";
import type { EngineMessage } from "../message.ts";
import { isProven } from "./proven-versions.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/** Enough of a call's input to recognise it by. */
const INPUT_CHARS = 400;
const GO_ON = "Continue from where you left off.";

/** What our own log says of a session whose CLI is gone. */
export interface Unfinished {
  /** Accepted messages that no turn has ended, oldest first. */
  messages: readonly EngineMessage[];
  /**
   * A turn had started and had not ended. It need not have begun with a message; one that began with
   * quiet messages only does not count.
   */
  openTurn: boolean;
  /** Tool calls of that turn that have no result. */
  calls: readonly OpenCall[];
}

/** A call that our log knows. The CLI's file may not have it yet: it is written a moment later. */
export interface OpenCall {
  request_id: string;
  tool: string;
  input: JsonValue;
  /** Absent: nobody was asked about it, so far or at all. */
  decision?: "none" | "allowed" | "denied";
}

/** How the session is to be taken up again, so that nothing is lost, doubled, or told falsely. */
export interface RecoveryPlan {
  /** False: the CLI has no file of the session, so it starts anew under the same id. */
  resume: boolean;
  /** Messages that the CLI never wrote down, in order. Those that it did are never sent again. */
  push: EngineMessage[];
  /** Ids of the messages that are part of the conversation already. */
  seen: string[];
  /** The CLI takes up the turn that was cut; without it, no turn of those seen is left to run. */
  rerun: boolean;
  /** Variables for the CLI. */
  env: Record<string, string>;
  /** The undecided call that is asked again under its own id; `push` waits until it was asked. */
  park: RecordedCall | undefined;
  /** Undecided calls that will not come back under their id. */
  superseded: string[];
  /** This CLI version has not passed the recovery suite: the cautious path was taken. */
  unproven: boolean;
}

export function planRecovery(
  unfinished: Unfinished,
  transcript: Transcript | undefined,
  cliVersion: string,
): RecoveryPlan {
  const isSeen = ({ id }: EngineMessage): boolean => transcript?.messages.has(id) === true;
  const seen = unfinished.messages.filter(isSeen);
  const undecided = unfinished.calls.filter((call) => call.decision === "none");
  const plan: RecoveryPlan = {
    resume: transcript !== undefined,
    push: unfinished.messages.filter((message) => !isSeen(message)),
    seen: seen.map(({ id }) => id),
    rerun: false,
    env: {},
    park: undefined,
    superseded: undecided.map((call) => call.request_id),
    unproven: !isProven(cliVersion),
  };
  // A quiet message that stands last in the file is no interrupted turn, though the CLI would take it for one.
  const interrupted = unfinished.openTurn || seen.some(({ quiet }) => quiet !== true);
  if (!interrupted || transcript?.answered) return plan;

  const open = openCalls(unfinished.calls, transcript);
  const prompt = promptFor(open);
  if (!transcript) return { ...plan, push: prompt ? [hint(prompt), ...plan.push] : plan.push };

  const parked = plan.unproven ? undefined : parkable(open, transcript);
  if (parked) return { ...plan, rerun: true, park: parked, superseded: [] };
  // Where the CLI would not go on, or would go on without what is to be told, a message of ours says it.
  if (transcript.endsHidden || (transcript.endsAsking && prompt !== undefined)) {
    return { ...plan, rerun: true, push: [hint(prompt ?? GO_ON), ...plan.push] };
  }
  return { ...plan, rerun: true, env: rerunEnvironment(prompt) };
}

/** Words to the model where the CLI does not go on by itself. */
const hint = (content: string): EngineMessage => ({ id: randomUUID(), content, relayed: true });

/** Calls without a result: those of our log, and those that only the CLI's file knows. */
function openCalls(logged: readonly OpenCall[], transcript: Transcript | undefined): OpenCall[] {
  const known = new Set(logged.map((call) => call.request_id));
  const onlyOnDisk = transcript?.calls.filter((call) => !known.has(call.request_id)) ?? [];
  return [...logged, ...onlyOnDisk].filter((call) => !transcript?.results.has(call.request_id));
}

/**
 * Only a call that is alone in its answer can be asked again as it was. Nor may any other be open, such as
 * one of a sub-agent: with a parked call there is no prompt in which the model could be told of it.
 */
function parkable(open: readonly OpenCall[], transcript: Transcript): RecordedCall | undefined {
  const [only, ...others] = open;
  if (only?.decision !== "none" || others.length > 0) return undefined;
  const call = transcript.calls.find(({ request_id }) => request_id === only.request_id);
  const together = transcript.calls.filter(({ answerId }) => answerId === call?.answerId);
  return together.length === 1 ? call : undefined;
}

/** The CLI takes up the cut turn by itself, with these words or with its own. */
function rerunEnvironment(prompt: string | undefined): Record<string, string> {
  const rerun = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1" };
  if (prompt === undefined) return rerun;
  return {
    ...rerun,
    CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS: "1",
    CLAUDE_CODE_RESUME_PROMPT: prompt,
  };
}

/** Calls that may have run are told to the model, with the truth; if there are none, nothing is to tell. */
function promptFor(open: readonly OpenCall[]): string | undefined {
  if (!open.some(mayHaveRun)) return undefined;
  return [
    "The session was interrupted and goes on now. Tool calls that had no result yet:",
    ...open.map((call) => `- ${call.tool} ${brief(call.input)}: ${fateOf(call)}`),
    `Check the effect of what was started before you repeat it. ${GO_ON}`,
  ].join("\n");
}

const mayHaveRun = ({ decision }: OpenCall): boolean =>
  decision === undefined || decision === "allowed";

function fateOf(call: OpenCall): string {
  if (!mayHaveRun(call)) return "did not run";
  return call.decision === "allowed"
    ? "was started, its outcome is unknown"
    : "may have run, its outcome is unknown";
}

function brief(input: JsonValue): string {
  const text = JSON.stringify(input);
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS)}…` : text;
}
