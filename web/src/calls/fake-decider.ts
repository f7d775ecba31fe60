import { signal } from "@preact/signals";
import type { PendingRequest } from "agent-switchboard/wire";
import type { Call, Decision, Outcome } from "./call.ts";
import type { Decider } from "./decider.ts";

/** For tests: calls and decisions in memory. */
export class FakeDecider implements Decider {
  readonly waiting = signal<readonly Call[]>([]);
  readonly isCaughtUp = signal(true);
  readonly isConnected = signal(true);
  readonly decided: { id: string; decision: Decision }[] = [];
  readonly held: { id: string; ms: number }[] = [];
  readonly outcomes = new Map<string, Outcome>();
  /** What the host answers next time it is asked. */
  answer: readonly Call[] | undefined;
  asked = 0;
  /** Thrown by the next decision. */
  refusal: Error | undefined;

  outcomeOf(id: string): Outcome | undefined {
    return this.outcomes.get(id);
  }

  decide(id: string, decision: Decision): Promise<void> {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal) return Promise.reject(refusal);
    this.decided.push({ id, decision });
    return Promise.resolve();
  }

  hold(id: string, ms: number): Promise<void> {
    this.held.push({ id, ms });
    return Promise.resolve();
  }

  ask(): Promise<readonly Call[]> {
    this.asked += 1;
    return Promise.resolve(this.answer ?? this.waiting.value);
  }

  wholeText(_call: Call, blob: string): Promise<string> {
    return Promise.resolve(`the whole of ${blob}`);
  }

  /** A request comes. */
  come(call: Call): void {
    this.waiting.value = [...this.waiting.value, call];
  }

  /** The event of its end comes. */
  end(id: string, outcome: Outcome): void {
    this.outcomes.set(id, outcome);
    this.waiting.value = this.waiting.value.filter((call) => call.id !== id);
  }
}

const base = { seq: 1, at: "2026-11-18T12:00:00.000Z", epoch: 1 };

/** A command that wants permission. */
export function commandCall(id: string, more: Partial<PendingRequest> = {}): Call {
  const request = {
    ...base,
    type: "approval_request",
    request_id: id,
    tool: "Bash",
    input: { command: `echo ${id}` },
    scopes: [
      { scope: "once", label: "Allow this once" },
      {
        scope: "session",
        label: "Allow for this session",
        suggestions: [
          {
            type: "addRules",
            behavior: "allow",
            destination: "session",
            rules: [{ toolName: "Bash", ruleContent: "echo:*" }],
          },
        ],
      },
    ],
    deadline: "2026-11-18T12:05:00.000Z",
    remaining_ms: 300_000,
    ...more,
  } as PendingRequest;
  return { id, agent: "coder", request };
}
