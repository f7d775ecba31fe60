import type { EngineMessage } from "../message.ts";
import { isProven } from "./proven-versions.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/** What our own log says of a session whose CLI is gone. */
export interface Unfinished {
  /** Accepted messages that no turn has ended, oldest first. */
  messages: readonly EngineMessage[];
  /** A turn had started and had not ended; it need not have begun with a message. */
  openTurn: boolean;
  /** Tool calls of that turn without a result that somebody was asked about. */
  asked: { request_id: string; decision: "none" | "allowed" | "denied" }[];
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
  const undecided = unfinished.asked.filter((call) => call.decision === "none");
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
  if (!transcript || transcript.answered || !interrupted) return plan;

  const parked = plan.unproven ? undefined : parkable(undecided, transcript);
  if (parked) return { ...plan, rerun: true, park: parked, superseded: [] };

  const cutOff = transcript.calls.filter((call) => !transcript.results.has(call.request_id));
  return { ...plan, rerun: true, env: rerunEnvironment(cutOff, unfinished) };
}

/** Only a call that is alone in its answer can be asked again as it was. */
function parkable(
  undecided: { request_id: string }[],
  transcript: Transcript,
): RecordedCall | undefined {
  const [only, ...others] = undecided;
  if (!only || others.length > 0) return undefined;
  const call = transcript.calls.find(({ request_id }) => request_id === only.request_id);
  if (!call || transcript.results.has(call.request_id)) return undefined;
  const together = transcript.calls.filter(({ answerId }) => answerId === call.answerId);
  return together.length === 1 ? call : undefined;
}

/** The CLI takes up the cut turn by itself. Calls that may have run are shown to the model, with the truth. */
function rerunEnvironment(cutOff: RecordedCall[], { asked }: Unfinished): Record<string, string> {
  const decisionOf = new Map(asked.map((call) => [call.request_id, call.decision]));
  const mayHaveRun = (call: RecordedCall): boolean => {
    const decision = decisionOf.get(call.request_id);
    return decision === undefined || decision === "allowed";
  };
  const rerun = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1" };
  if (!cutOff.some(mayHaveRun)) return rerun;
  const lines = cutOff.map((call) => {
    const fate = mayHaveRun(call) ? "was started, its outcome is unknown" : "did not run";
    return `- ${call.tool} (${call.request_id}): ${fate}`;
  });
  return {
    ...rerun,
    CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS: "1",
    CLAUDE_CODE_RESUME_PROMPT: [
      "The session was interrupted and goes on now. Tool calls that had no result yet:",
      ...lines,
      "Check the effect of what was started before you do it again, then go on from where you left off.",
    ].join("\n"),
  };
}
