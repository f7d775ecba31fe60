import { isDecidedByPolicy } from "../client/core.ts";
import type { TeamClient, TeamItem } from "../team/core.ts";
import type { Clock } from "../time/clock.ts";
import { systemClock } from "../time/clock.ts";
import { errorOf } from "../wire/errors.ts";
import type { TeamEventOf } from "../wire/team/events.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";

/** What there is to say about a message to the team. */
export type Outcome =
  | {
      readonly kind: "answered";
      readonly agent: string;
      readonly text: string;
      readonly failed: boolean;
    }
  /** A person has to decide before the team can go on. */
  | { readonly kind: "asks"; readonly approvals: readonly TeamApproval[] }
  /** The time that the caller gave is over. */
  | { readonly kind: "open" };

export interface AnswerWaitOptions {
  /** How long to wait at most; for ever by default. */
  readonly waitMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Called with everything that happens in the team, and every ten seconds with nothing. */
  readonly tell: (item: TeamItem | undefined) => void;
  /** Those of the open requests that this call is to show to the person. */
  readonly choose: (approvals: readonly TeamApproval[]) => readonly TeamApproval[];
  readonly clock?: Clock;
}

const HEARTBEAT_MS = 10_000;
/** A person or program that decides elsewhere at once is faster than this. */
const AT_ONCE_MS = 300;

/**
 * Waits until the lead has answered the message, a person is wanted, or the time is over.
 *
 * @throws `unknown_request` for a message that the team does not have; `team_not_running` when it was stopped;
 *   `connection_lost` when its process ended and none followed; the signal's reason.
 */
export async function awaitAnswer(
  team: TeamClient,
  id: string,
  options: AnswerWaitOptions,
): Promise<Outcome> {
  const wait = new Wait(team, id, options);
  try {
    return await wait.run();
  } finally {
    wait.end();
  }
}

class Wait {
  readonly #team: TeamClient;
  readonly #id: string;
  readonly #options: AnswerWaitOptions;
  readonly #clock: Clock;
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #undo: (() => void)[] = [];
  #isOver = false;

  constructor(team: TeamClient, id: string, options: AnswerWaitOptions) {
    this.#team = team;
    this.#id = id;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async run(): Promise<Outcome> {
    const { signal, waitMs } = this.#options;
    const abort = (): void => this.#outcome.reject(signal.reason);
    signal.addEventListener("abort", abort);
    this.#undo.push(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
    // First listen, then ask: nothing can happen in between.
    this.#undo.push(this.#team.listen((item) => this.#hear(item)));
    void this.#team.closed.then(() => this.#outcome.reject(lost()));
    this.#look();
    if (waitMs !== undefined) this.#after(waitMs, () => this.#outcome.resolve({ kind: "open" }));
    this.#beat();
    return this.#outcome.promise;
  }

  end(): void {
    this.#isOver = true;
    for (const undo of this.#undo) undo();
  }

  #hear(item: TeamItem): void {
    this.#options.tell(item);
    if (item.type === "team_stopping") this.#outcome.reject(stopped());
    else if (item.type === "answered" && item.id === this.#id) this.#outcome.resolve(answer(item));
    else if (item.type === "task_changed" && item.task.id === this.#id) this.#hearOfTask(item);
    else if (item.type === "reset" || item.type === "team_started") this.#look();
    else if (item.type === "approval_requested") this.#after(AT_ONCE_MS, () => this.#look());
  }

  /** A task that a person has canceled gets no answer. */
  #hearOfTask({ task }: TeamEventOf<"task_changed">): void {
    if (task.state === "canceled") this.#look();
  }

  #look(): void {
    this.#lookNow().catch((error: unknown) => this.#outcome.reject(error));
  }

  async #lookNow(): Promise<void> {
    const { answered, message } = await this.#team.request("message", { id: this.#id });
    if (answered) return this.#outcome.resolve(answer(answered));
    const { task } = await this.#team.request("task", { id: this.#id });
    if (task.state === "canceled") {
      const text = task.outcome ?? "The task was canceled.";
      return this.#outcome.resolve(answer({ agent: message.to_agent, text, failed: true }));
    }
    const { approvals } = await this.#team.request("approvals", {});
    const open = approvals.filter(({ request }) => !isDecidedByPolicy(request));
    // `choose` also shows the approvals that it has chosen.
    if (this.#isOver || open.length === 0) return;
    const chosen = this.#options.choose(open);
    if (chosen.length > 0) this.#outcome.resolve({ kind: "asks", approvals: chosen });
  }

  #beat(): void {
    this.#after(HEARTBEAT_MS, () => {
      this.#options.tell(undefined);
      // Another call may have left its requests to us.
      this.#look();
      this.#beat();
    });
  }

  #after(ms: number, call: () => void): void {
    this.#undo.push(this.#clock.after(ms, call));
  }
}

const answer = ({ agent, text, failed }: { agent: string; text: string; failed: boolean }) =>
  ({ kind: "answered", agent, text, failed }) as const;

const lost = () =>
  errorOf("connection_lost", "The team's process has ended, and none has followed.", {
    hint: "The message is not lost. Start the team again, then call team_wait with its id.",
  });

const stopped = () =>
  errorOf("team_not_running", "The team was stopped before it answered.", {
    hint: "The message is not lost. Start the team again, then call team_wait with its id.",
  });
