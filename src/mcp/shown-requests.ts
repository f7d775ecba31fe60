import type { TeamApproval } from "../wire/team/control-methods.ts";

/**
 * Which request is shown by which call, so that a person who has several calls open sees each form once. A call that never
 * came back loses its requests after a while.
 */
export class ShownRequests {
  readonly #holders = new Map<string, { readonly message: string; readonly untilMs: number }>();
  readonly #holdMs: number;
  readonly #nowMs: () => number;

  constructor(holdMs: number, nowMs: () => number) {
    this.#holdMs = holdMs;
    this.#nowMs = nowMs;
  }

  /** Those of the open requests that this call shows; it holds them from now on. */
  hold(message: string, approvals: readonly TeamApproval[]): TeamApproval[] {
    const now = this.#nowMs();
    const free = approvals.filter(({ request }) => {
      const holder = this.#holders.get(request.request_id);
      return !holder || holder.message === message || holder.untilMs <= now;
    });
    for (const { request } of free) {
      this.#holders.set(request.request_id, { message, untilMs: now + this.#holdMs });
    }
    return free;
  }

  /** The call has ended, or its person has answered. */
  release(message: string): void {
    for (const [id, holder] of this.#holders) {
      if (holder.message === message) this.#holders.delete(id);
    }
  }
}
