import { randomUUID } from "node:crypto";
import type { EngineMessage } from "../message.ts";
import type { OpenCall } from "./open-call.ts";
import { isProven } from "./proven-versions.ts";
import { goOn, resumeWords } from "./resume-words.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/** What our own log says of a session whose CLI is gone. */
export interface Unfinished {
  /** Accepted messages that no turn has ended, oldest first. */
  messages: readonly EngineMessage[];
  /**
   * A turn had started and had not ended. It need not have begun with a message; one that began with
   * quiet messages only does not count.
   */
  openTurn: boolean;
  /** Tool calls of that turn of which the CLI's file may not tell the end. */
  calls: readonly OpenCall[];
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
  /** Without `rerun`: the texts that end the cut turn, which the CLI's file has and our log may not. */
  answer: readonly string[];
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
    answer: [],
    env: {},
    park: undefined,
    superseded: undecided.map((call) => call.request_id),
    unproven: !isProven(cliVersion),
  };
  // A quiet message that stands last in the file is no interrupted turn, though the CLI would take it for one.
  const isAsked = seen.some(({ quiet }) => quiet !== true);
  if (!unfinished.openTurn && !isAsked) return plan;
  // Without a message of the turn, the last answer in the file may be that of another one.
  if (transcript?.answered) return { ...plan, answer: isAsked ? transcript.answer : [] };

  const open = openCalls(unfinished.calls, transcript);
  const prompt = resumeWords(open);
  if (!transcript) return { ...plan, push: prompt ? [hint(prompt), ...plan.push] : plan.push };

  const parked = plan.unproven ? undefined : parkable(open, transcript);
  if (parked) return { ...plan, rerun: true, park: parked, superseded: [] };
  // Where the CLI would not go on, or would go on without what is to be told, a message of ours says it.
  if (transcript.endsHidden || (transcript.endsAsking && prompt !== undefined)) {
    return { ...plan, rerun: true, push: [hint(prompt ?? goOn), ...plan.push] };
  }
  return { ...plan, rerun: true, env: rerunEnvironment(prompt) };
}

/** Words to the model where the CLI does not go on by itself. */
const hint = (content: string): EngineMessage => ({ id: randomUUID(), content, relayed: true });

/** Calls whose end the model does not know: those of our log, and those that only the CLI's file knows. */
function openCalls(logged: readonly OpenCall[], transcript: Transcript | undefined): OpenCall[] {
  const known = new Set(logged.map((call) => call.request_id));
  const onlyOnDisk = transcript?.calls.filter((call) => !known.has(call.request_id)) ?? [];
  const isKnown = ({ request_id }: OpenCall): boolean =>
    transcript?.results.has(request_id) === true || transcript?.told.has(request_id) === true;
  return [...logged, ...onlyOnDisk].filter((call) => !isKnown(call));
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
