import type { ApproveOptions, DenyOptions } from "agent-switchboard/client/core";
import type {
  Answers,
  ApprovalScope,
  ElicitAction,
  JsonObject,
  PendingRequest,
  StoredText,
} from "agent-switchboard/wire";

/** A request that waits for a person. */
export interface Call {
  readonly id: string;
  /** Who asks; undefined for the one session of a gateway without a team. */
  readonly agent: string | undefined;
  readonly request: PendingRequest;
}

export type RequestOf<Type extends PendingRequest["type"]> = Extract<
  PendingRequest,
  { type: Type }
>;

/** What a person says to a request. */
export type Decision =
  | ({ readonly kind: "approve" } & ApproveOptions)
  | ({ readonly kind: "deny" } & DenyOptions)
  | { readonly kind: "answer"; readonly answers: Answers }
  | { readonly kind: "respond"; readonly action: ElicitAction; readonly content?: JsonObject };

/** How a request ended, as the team or the session tells it. */
export interface Outcome {
  readonly outcome: string;
  /** The name of the client that decided, or `policy`. */
  readonly by?: string | undefined;
  readonly rule?: string | undefined;
  readonly scope?: ApprovalScope | undefined;
  readonly reason?: string | undefined;
  /** What ran in place of the input that was asked about. */
  readonly updatedInput?: JsonObject | undefined;
  readonly plan?: StoredText | undefined;
  readonly at?: string | undefined;
}

/** A call that is over. */
export interface EndedCall extends Call {
  readonly askedAt: string;
  readonly end: Outcome;
}

/** The tool of a call, or what stands for it in a line. */
export function toolOf({ request }: Pick<Call, "request">): string | undefined {
  if (request.type === "approval_request") return request.tool;
  return request.type === "elicitation" ? request.server : undefined;
}
