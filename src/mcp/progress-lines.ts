import type { TeamItem } from "../team/core.ts";
import { cutText } from "../text/cut-text.ts";
import { showHidden } from "../text/show-hidden.ts";
import type { Clock } from "../time/clock.ts";
import { systemClock } from "../time/clock.ts";

const MAX_CHARS = 200;
const MAX_SUMMARY_CHARS = 120;

/** Says in short lines who does what, for the progress of a call. */
export class ProgressLines {
  readonly #send: (line: string) => void;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #newest = "The team has the message.";

  /** @param send gets a line when something happens, and the newest one again when nothing does. */
  constructor(send: (line: string) => void, clock: Clock = systemClock) {
    this.#send = send;
    this.#clock = clock;
    this.#startedMs = clock.steadyMs();
  }

  /** Undefined: nothing has happened for a while. */
  readonly tell = (item: TeamItem | undefined): void => {
    const line = item && lineOf(item);
    if (line !== undefined) {
      this.#newest = cutText(showHidden(line).replaceAll(/\s+/g, " "), MAX_CHARS);
      this.#send(this.#newest);
    } else if (item === undefined) {
      const seconds = Math.round((this.#clock.steadyMs() - this.#startedMs) / 1000);
      this.#send(`After ${seconds} s: ${this.#newest}`);
    }
  };
}

function lineOf(item: TeamItem): string | undefined {
  switch (item.type) {
    case "turn_started":
      return `${item.agent} works.`;
    case "tool_called":
      return `${item.agent} uses ${item.tool}: ${cutText(item.summary, MAX_SUMMARY_CHARS)}`;
    case "message_sent":
      return `${item.message.from_agent} writes to ${item.message.to_agent}.`;
    case "task_changed":
      return `Task "${cutText(item.task.title, MAX_SUMMARY_CHARS)}" of ${item.task.to_agent}: ${item.task.state}.`;
    case "approval_requested":
      return `${item.agent} waits for a decision.`;
    case "approval_resolved":
      return `A request of ${item.agent} is ${item.outcome}${item.by === undefined ? "" : ` by ${item.by}`}.`;
    case "agent_state":
      return item.state === "working" ? undefined : `${item.agent} is ${item.state}.`;
    default:
      return undefined;
  }
}
