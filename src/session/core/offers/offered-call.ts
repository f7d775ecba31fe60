import { errorOf } from "../../../wire/errors.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { SessionAnswerOf } from "../../../wire/session/answers.ts";
import type { SessionCommandOf } from "../../../wire/session/commands.ts";
import type { CancelReason, OfferedTool } from "../../../wire/session/offered-tools.ts";
import type { ClientLink } from "../session-types.ts";
import type { CallFact, CallStage } from "./call-stage.ts";
import { nextStage } from "./call-stage.ts";

export type ToolReturn = SessionCommandOf<"tool_return">;
export type ToolProgress = SessionCommandOf<"tool_progress">;

/** What the model asks for, and how to reach it while the call runs. */
export interface OfferedCallRequest {
  readonly input: JsonObject;
  readonly requestId: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

/** One call of an offered tool. */
export class OfferedCall {
  readonly id: string;
  readonly #tool: OfferedTool;
  readonly #namespace: string;
  readonly #request: OfferedCallRequest;
  readonly #deadline: string;
  readonly #outcome = Promise.withResolvers<ToolReturn>();
  #stage: CallStage = "unsent";

  constructor(id: string, namespace: string, tool: OfferedTool, request: OfferedCallRequest) {
    this.id = id;
    this.#namespace = namespace;
    this.#tool = tool;
    this.#request = request;
    this.#deadline = new Date(Date.now() + tool.timeout_ms).toISOString();
    // Who cancels it need not wait for it.
    this.#outcome.promise.catch(() => {});
  }

  get toolName(): string {
    return this.#tool.name;
  }

  /** The model's id of the call, if the CLI has told it. */
  get requestId(): string | undefined {
    return this.#request.requestId;
  }

  /** The client's result. Rejects with what the model reads in its place. */
  get outcome(): Promise<ToolReturn> {
    return this.#outcome.promise;
  }

  progress(progress: ToolProgress): void {
    this.#request.onProgress(progress);
  }

  /** @param owner the client that has the call, or gets it. */
  take(fact: CallFact, owner: ClientLink | undefined, result?: ToolReturn): void {
    const { stage, effect } = nextStage(this.#stage, fact, this.#tool.idempotent === true);
    this.#stage = stage;
    switch (effect) {
      case "send":
        owner?.tell(this.#line());
        break;
      case "send_again":
        owner?.tell({ ...this.#line(), again: true });
        break;
      case "cancel":
        owner?.tell({ type: "tool_cancel", call: this.id, reason: this.#cancelReason() });
        break;
      case "resolve":
        if (result) this.#outcome.resolve(result);
        break;
      case "fail_unrun":
        this.#outcome.reject(didNotRun(this.#namespace));
        break;
      case "fail_unknown":
        this.#outcome.reject(wentAway(this.#tool.name));
        break;
      case "fail_withdrawn":
        owner?.tell({ type: "tool_cancel", call: this.id, reason: "withdrawn" });
        this.#outcome.reject(wasWithdrawn(this.#tool.name));
        break;
      case "none":
        break;
    }
  }

  /** Nobody waits for the result any more; the bridge has told the model why. */
  cancelled(owner: ClientLink | undefined): void {
    this.take({ kind: "cancelled" }, owner);
    this.#outcome.reject(this.#request.signal.reason);
  }

  #cancelReason(): CancelReason {
    const code: unknown = Reflect.get(Object(this.#request.signal.reason), "code");
    return code === "timeout" ? "timed_out" : "aborted";
  }

  #line(): SessionAnswerOf<"tool_call"> {
    const { input, requestId } = this.#request;
    return {
      type: "tool_call",
      call: this.id,
      ...(requestId !== undefined && { request_id: requestId }),
      namespace: this.#namespace,
      tool: this.#tool.name,
      input,
      deadline: this.#deadline,
      remaining_ms: Math.max(Date.parse(this.#deadline) - Date.now(), 0),
    };
  }
}

const didNotRun = (namespace: string) =>
  errorOf(
    "connection_failed",
    `The program that offers the tools of ${namespace} is not connected.`,
    {
      hint: "The call did not run. Go on without this tool until its program is back.",
    },
  );

const wasWithdrawn = (tool: string) =>
  errorOf(
    "connection_lost",
    `The tool ${tool} was withdrawn in the middle of the call: its outcome is unknown.`,
    { hint: "The call may have run. Check its effect before you repeat it in another way." },
  );

const wentAway = (tool: string) =>
  errorOf(
    "connection_lost",
    `The program that offers ${tool} went away in the middle of the call: its outcome is unknown.`,
    {
      hint: "The call may have run. Check its effect before you call the tool again.",
    },
  );
