import { randomUUID } from "node:crypto";
import { cliSupport } from "../cli-support.ts";
import type { EngineMessage } from "../to-sdk-message.ts";
import type { OpenCall } from "./open-call.ts";
import { continueText, resumeText, textAbout } from "./resume-text.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/** What our log says of a session whose CLI is gone. */
export interface Unfinished {
  /** Accepted messages that no turn has ended, oldest first. */
  messages: readonly EngineMessage[];
  /**
   * A turn had started and not ended. It need not have begun with a message; a turn of quiet messages only does not
   * count.
   */
  openTurn: boolean;
  /** Tool calls of that turn that may be unfinished in the CLI's transcript. */
  calls: readonly OpenCall[];
}

/** How to resume the session, so that nothing is lost, doubled, or reported falsely. */
export interface RecoveryPlan {
  /** False: the CLI has no transcript of the session, so it starts a new conversation under the same id. */
  resume: boolean;
  /** Messages that the CLI never wrote down, in order. Those that it did are never sent again. */
  push: EngineMessage[];
  /** Ids of the messages that are already part of the conversation. */
  seen: string[];
  /** The CLI resumes the cut turn; if false, no turn of the seen messages is left to run. */
  rerun: boolean;
  /** Without `rerun`: the texts that end the cut turn, which the CLI's transcript has and our log may lack. */
  answer: readonly string[];
  /** Variables for the CLI. */
  env: Record<string, string>;
  /** The undecided call that is asked again under its own id; `push` waits for that. */
  park: RecordedCall | undefined;
  /** This CLI version has not passed the recovery suite, so the careful path was taken. */
  unproven: boolean;
}

/**
 * `full`: an open request is asked again under its own id, which relies on undocumented behaviour of the CLI.
 * `careful`: it is superseded, and asked again under a new id.
 */
export type RecoveryPath = "full" | "careful";

/** By default a version that has passed the recovery suite takes the full path, and any other the careful one. */
export function planRecovery(
  unfinished: Unfinished,
  transcript: Transcript | undefined,
  cliVersion: string,
  path?: RecoveryPath,
): RecoveryPlan {
  const isSeen = ({ id }: EngineMessage): boolean => transcript?.messages.has(id) === true;
  const seen = unfinished.messages.filter(isSeen);
  const support = cliSupport(cliVersion);
  const plan: RecoveryPlan = {
    resume: transcript !== undefined,
    push: unfinished.messages.filter((message) => !isSeen(message)),
    seen: seen.map(({ id }) => id),
    rerun: false,
    answer: [],
    env: {},
    park: undefined,
    unproven: path === undefined && support.kind !== "proven",
  };
  // A quiet message at the end of the file is no interrupted turn, though the CLI would take it for one.
  const isAsked = seen.some(({ quiet }) => quiet !== true);
  if (!unfinished.openTurn && !isAsked) return plan;
  // Without a message of the turn, the last answer in the file may belong to another one.
  if (transcript?.answered) return { ...plan, answer: isAsked ? transcript.answer : [] };

  const open = openCalls(unfinished.calls, transcript);
  const prompt = resumeText(open);
  if (!transcript) return { ...plan, push: prompt ? [hint(prompt), ...plan.push] : plan.push };

  const wantsPark = path === undefined ? !plan.unproven : path === "full";
  // A CLI that does not wait for its prompt would continue without it, even if the full path is requested.
  const parked = wantsPark && support.awaitsInitialize ? parkable(open, transcript) : undefined;
  if (parked) return { ...plan, rerun: true, park: parked };
  // By itself it would continue before it knows its system prompt and the hooks that refuse calls.
  if (!support.awaitsInitialize) {
    const words = open.length === 0 ? continueText : textAbout(open);
    return { ...plan, rerun: true, push: [hint(words), ...plan.push] };
  }
  // Where the CLI would not continue, or would continue without telling the model about its calls, we send a message.
  if (transcript.endsHidden || (transcript.endsAsking && prompt !== undefined)) {
    return { ...plan, rerun: true, push: [hint(prompt ?? continueText), ...plan.push] };
  }
  return { ...plan, rerun: true, env: rerunEnvironment(prompt) };
}

/** A message to the model where the CLI does not continue by itself. */
const hint = (content: string): EngineMessage => ({ id: randomUUID(), content, relayed: true });

/** Calls whose outcome the model does not know: those of our log, and those that only the CLI's transcript has. */
function openCalls(logged: readonly OpenCall[], transcript: Transcript | undefined): OpenCall[] {
  const known = new Set(logged.map((call) => call.request_id));
  const onlyOnDisk = transcript?.calls.filter((call) => !known.has(call.request_id)) ?? [];
  const isKnown = ({ request_id }: OpenCall): boolean =>
    transcript?.results.has(request_id) === true || transcript?.told.has(request_id) === true;
  return [...logged, ...onlyOnDisk].filter((call) => !isKnown(call));
}

/**
 * A call can be asked again as it was only if it is alone in its answer and no other call is open, such as one of a
 * sub-agent: with a parked call there is no prompt to tell the model about others.
 */
function parkable(open: readonly OpenCall[], transcript: Transcript): RecordedCall | undefined {
  const [only, ...others] = open;
  if (only?.decision !== "none" || others.length > 0) return undefined;
  const call = transcript.calls.find(({ request_id }) => request_id === only.request_id);
  const together = transcript.calls.filter(({ answerId }) => answerId === call?.answerId);
  return together.length === 1 ? call : undefined;
}

/** The CLI resumes the cut turn by itself, with this prompt or its own. */
function rerunEnvironment(prompt: string | undefined): Record<string, string> {
  const rerun = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1" };
  if (prompt === undefined) return rerun;
  return {
    ...rerun,
    CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS: "1",
    CLAUDE_CODE_RESUME_PROMPT: prompt,
  };
}
