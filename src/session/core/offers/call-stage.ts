/**
 * Where a call of an offered tool is. `unsent`: its client is away and never got it. `sent`: its client has it.
 * `left`: its client got it and has gone.
 */
export type CallStage = "unsent" | "sent" | "left" | "ended";

export type CallFact =
  /** The client is there and has offered its tools: whether this tool is among them, and whether it works on the call. */
  | { readonly kind: "owner_came"; readonly offersTool: boolean; readonly isRunning: boolean }
  | { readonly kind: "owner_left" }
  /** The client was away for too long, or its tools are withdrawn. */
  | { readonly kind: "given_up" }
  | { readonly kind: "returned" }
  /** Nobody waits for the result any more. */
  | { readonly kind: "cancelled" };

/**
 * What is to be done: send the call, tell the client that the call is cancelled, or tell the model that the tool did not
 * run (`fail_unrun`) or that nobody knows whether it ran (`fail_unknown`); for tools that are withdrawn both sides are
 * told (`fail_withdrawn`).
 */
export type CallEffect =
  | "none"
  | "send"
  | "send_again"
  | "resolve"
  | "cancel"
  | "fail_unrun"
  | "fail_unknown"
  | "fail_withdrawn";

interface Step {
  readonly stage: CallStage;
  readonly effect: CallEffect;
}

/**
 * The life of a call. No call is lost without a word to the model, and only a call of an idempotent tool is sent
 * twice.
 */
export function nextStage(stage: CallStage, fact: CallFact, idempotent: boolean): Step {
  if (stage === "ended") return { stage, effect: "none" };
  switch (fact.kind) {
    case "owner_came":
      return afterReturn(stage, fact, idempotent);
    case "returned":
      return stage === "sent" ? ended("resolve") : { stage, effect: "none" };
    case "cancelled":
      return ended(stage === "sent" ? "cancel" : "none");
    case "owner_left":
      return { stage: stage === "sent" ? "left" : stage, effect: "none" };
    case "given_up":
      if (stage === "sent") return ended("fail_withdrawn");
      return ended(stage === "left" ? "fail_unknown" : "fail_unrun");
    default:
      return fact satisfies never;
  }
}

function afterReturn(
  stage: Exclude<CallStage, "ended">,
  { offersTool, isRunning }: { offersTool: boolean; isRunning: boolean },
  idempotent: boolean,
): Step {
  if (stage === "sent") return { stage, effect: "none" };
  if (stage === "unsent")
    return offersTool ? { stage: "sent", effect: "send" } : ended("fail_unrun");
  if (isRunning) return { stage: "sent", effect: "none" };
  return idempotent && offersTool ? { stage: "sent", effect: "send_again" } : ended("fail_unknown");
}

const ended = (effect: CallEffect): Step => ({ stage: "ended", effect });
