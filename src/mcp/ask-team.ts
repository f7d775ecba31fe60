import type {
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from "@modelcontextprotocol/server";
import { inputRequired } from "@modelcontextprotocol/server";
import type { TeamClient } from "../team/core.ts";
import type { Clock } from "../time/clock.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";
import { awaitAnswer } from "./await-answer.ts";
import type { CallingClient } from "./calling-client.ts";
import { decideByForm } from "./decide-by-form.ts";
import { decisionForm } from "./decision-form.ts";
import { outcomeResult } from "./outcome-text.ts";
import { ProgressLines } from "./progress-lines.ts";
import type { ShownRequests } from "./shown-requests.ts";

/** What comes back with the forms that a person has filled in. Signed, so that it is what we sent. */
export interface CallState {
  /** The id of the message that the call waits for. */
  readonly message: string;
  /** The requests whose forms were shown. */
  readonly requests: readonly string[];
  /** How often in a row what was filled in did not fit. */
  readonly unfit: number;
}

export interface AskOptions {
  readonly shown: ShownRequests;
  readonly state: RequestStateCodec<CallState>;
  readonly mayDecide: boolean;
  /** A call that is cancelled takes its message back. */
  readonly cancelWithCall: boolean;
  readonly clock: Clock;
}

/** A client that fills in nonsense by itself would go on for ever. */
const MAX_UNFIT = 3;

type Result = CallToolResult | InputRequiredResult;

/**
 * Brings a message to its answer, for one call: decides what the person has filled in, then waits until the lead has
 * answered, the next form is to be shown, or the time is over.
 */
export async function bringToAnswer(
  team: TeamClient,
  message: string,
  waitMs: number | undefined,
  {
    client,
    context,
    options,
  }: { client: CallingClient; context: ServerContext; options: AskOptions },
): Promise<Result> {
  const { mcpReq } = context;
  const { shown, mayDecide, clock } = options;
  const name = team.init.team;
  const before = mcpReq.requestState<CallState>();
  const forms = await takeForms(team, before, mcpReq.inputResponses);
  shown.release(message);
  const facts = { team: name, id: message, mayDecide };
  const unfit = forms.unfit.size > 0 ? (before?.unfit ?? 0) + 1 : 0;
  const undecided = unfit > MAX_UNFIT ? [...forms.left, ...forms.unfit.keys()] : forms.left;
  if (undecided.length > 0) return outcomeResult({ kind: "asks", approvals: undecided }, facts);
  const { tell } = new ProgressLines(progressOf(context), clock);
  const takeBack = (): void => void takenBack(team, message, mcpReq.signal, options);
  mcpReq.signal.addEventListener("abort", takeBack);
  try {
    const outcome = await awaitAnswer(team, message, {
      waitMs,
      signal: mcpReq.signal,
      tell,
      choose: (approvals) => shown.hold(message, approvals),
      clock,
    });
    if (outcome.kind !== "asks" || !client.showsForms) {
      shown.release(message);
      return outcomeResult(outcome, facts);
    }
    const requests = outcome.approvals.map(({ request }) => request.request_id);
    return inputRequired({
      inputRequests: Object.fromEntries(
        outcome.approvals.map((each) => [
          each.request.request_id,
          inputRequired.elicit(withNote(each, name, forms.unfit)),
        ]),
      ),
      requestState: await options.state.mint({ message, requests, unfit }, context),
    });
  } catch (error) {
    shown.release(message);
    throw error;
  } finally {
    mcpReq.signal.removeEventListener("abort", takeBack);
  }
}

/** Decides what the person has filled in. What was not asked by us is ignored. */
async function takeForms(
  team: TeamClient,
  state: CallState | undefined,
  responses: Record<string, unknown> | undefined,
): Promise<{ left: TeamApproval[]; unfit: Map<TeamApproval, string> }> {
  const left: TeamApproval[] = [];
  const unfit = new Map<TeamApproval, string>();
  if (!state) return { left, unfit };
  const { approvals } = await team.request("approvals", {});
  for (const approval of approvals) {
    if (!state.requests.includes(approval.request.request_id)) continue;
    const outcome = await decideByForm(team, approval, responses);
    if (outcome.kind === "left") left.push(approval);
    if (outcome.kind === "unfit") unfit.set(approval, outcome.why);
  }
  return { left, unfit };
}

function withNote(
  approval: TeamApproval,
  team: string,
  unfit: ReadonlyMap<TeamApproval, string>,
): ReturnType<typeof decisionForm> {
  const form = decisionForm(team, approval);
  const why = [...unfit].find(([each]) => each.request.request_id === approval.request.request_id);
  return why ? { ...form, message: `That did not fit: ${why[1]}\n\n${form.message}` } : form;
}

/** Nothing to clients that did not ask for progress. */
function progressOf({ mcpReq }: ServerContext): (message: string) => void {
  const { _meta: { progressToken } = {} } = mcpReq;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message };
    // The client may leave at any time.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** Only when the client says so: a client that was killed, or has closed the connection, may come back. */
async function takenBack(
  team: TeamClient,
  message: string,
  { reason }: AbortSignal,
  { cancelWithCall }: AskOptions,
): Promise<void> {
  const isCancelled = !(reason instanceof Error) || reason.name === "AbortError";
  if (!cancelWithCall || !isCancelled) return;
  // It may have been answered meanwhile.
  await team.request("cancel", { task: message }).catch(() => {});
}
