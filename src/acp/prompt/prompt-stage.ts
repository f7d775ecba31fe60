import type { PromptOutcome } from "./prompt-outcome.ts";
import { cancelled } from "./prompt-outcome.ts";

/**
 * Where a prompt of the editor is.
 *
 * - `sent`: the session has not said yet that it has the message.
 * - `waiting`: the session has it, and no turn has begun that works on it.
 * - `running`: a turn works on it.
 * - `ended`: the prompt has its answer.
 */
export type PromptStage =
  | { readonly stage: "sent" | "waiting" | "running"; readonly isCancelled: boolean }
  | { readonly stage: "ended"; readonly outcome: PromptOutcome };

export type PromptFact =
  | { readonly type: "accepted" }
  | { readonly type: "turn_started" }
  | { readonly type: "cancel" }
  /** A turn has ended it, or nothing will: it was dropped, or the session is gone. */
  | { readonly type: "ended"; readonly outcome: PromptOutcome };

/** What is to be done. `drop` takes the message back, `abort` ends the running turn. */
export type PromptEffect = "drop" | "abort";

export interface PromptStep {
  readonly stage: PromptStage;
  readonly effect?: PromptEffect;
}

export const sentPrompt: PromptStage = { stage: "sent", isCancelled: false };

/** An editor that has cancelled is told so, also when the turn was faster. */
function ended(outcome: PromptOutcome, isCancelled: boolean): PromptStep {
  return { stage: { stage: "ended", outcome: isCancelled ? cancelled : outcome } };
}

export function stepPrompt(prompt: PromptStage, fact: PromptFact): PromptStep {
  if (prompt.stage === "ended") return { stage: prompt };
  const { isCancelled } = prompt;
  switch (fact.type) {
    case "accepted":
      if (prompt.stage !== "sent") return { stage: prompt };
      return { stage: { stage: "waiting", isCancelled }, ...(isCancelled && { effect: "drop" }) };
    case "turn_started":
      return { stage: { stage: "running", isCancelled }, ...(isCancelled && { effect: "abort" }) };
    case "cancel": {
      const stage = { ...prompt, isCancelled: true };
      // Dropping waits for the session's word that it has the message.
      if (prompt.stage === "sent") return { stage };
      return { stage, effect: prompt.stage === "waiting" ? "drop" : "abort" };
    }
    default:
      return ended(fact.outcome, isCancelled);
  }
}
