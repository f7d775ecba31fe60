import type { TeamClient } from "../../team/core.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { noPaint } from "../attach/terminal-formats.ts";
import { detailRows } from "./request-detail.ts";
import { isDecidedByPolicy } from "../../client/core.ts";
import { decisionHint, requestLine } from "./request-line.ts";

/** A person or program that decides elsewhere at once is faster than this. */
const AT_ONCE_MS = 700;
const WHAT_CHARS = 160;

/** Tells a person who waits for an answer that the team waits for them. */
export class Decisions {
  readonly #tell: (text: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Shows pending requests and new ones, until the connection ends. */
  async watch(team: TeamClient): Promise<void> {
    team.listen((item) => {
      if (item.type === "approval_requested") this.#expect(item.agent, item.request);
      if (item.type === "approval_resolved") this.#forget(item.request_id);
    });
    const { approvals } = await team.request("approvals", {});
    for (const { agent, request } of approvals) this.#expect(agent, request);
  }

  #expect(agent: string, request: PendingRequest): void {
    if (this.#timers.has(request.request_id) || isDecidedByPolicy(request)) return;
    const timer = setTimeout(() => {
      const how = decisionHint(request);
      const what = requestLine(request, WHAT_CHARS);
      const details = detailRows(request, noPaint).map((row) => `${row}\n`);
      this.#tell(`${agent} waits for you: ${what}\n${details.join("")}  ${how}`);
    }, AT_ONCE_MS);
    // The answer may come first.
    timer.unref();
    this.#timers.set(request.request_id, timer);
  }

  #forget(requestId: string): void {
    clearTimeout(this.#timers.get(requestId));
    this.#timers.delete(requestId);
  }
}
