import type { TeamClient } from "../../team/control/client.ts";
import type { PendingRequest } from "../../wire/session-events-approval.ts";
import type { TeamApproval } from "../../wire/team-control.ts";
import { decisionHint, requestLine } from "./request-line.ts";

/** What the policy decides, it decides faster than this. */
const POLICY_MS = 700;
const WHAT_CHARS = 160;

/** Tells a person who waits for an answer that somebody waits for them. */
export class Decisions {
  readonly #tell: (text: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Those that are pending now, and whatever comes. Until the connection ends. */
  async watch(team: TeamClient): Promise<void> {
    team.listen((item) => {
      if (item.type === "approval_requested") this.#expect(item.agent, item.request);
      if (item.type === "approval_resolved") this.#forget(item.request_id);
    });
    const { approvals } = (await team.request("approvals", {})) as {
      approvals: TeamApproval[];
    };
    for (const { agent, request } of approvals) this.#expect(agent, request);
  }

  #expect(agent: string, request: PendingRequest): void {
    if (this.#timers.has(request.request_id)) return;
    const timer = setTimeout(() => {
      const how = decisionHint(request);
      const what = requestLine(request, WHAT_CHARS);
      this.#tell(`${agent} waits for you: ${what}\n  ${how}`);
    }, POLICY_MS);
    // The answer may come first.
    timer.unref();
    this.#timers.set(request.request_id, timer);
  }

  #forget(requestId: string): void {
    clearTimeout(this.#timers.get(requestId));
    this.#timers.delete(requestId);
  }
}
