import { styleText } from "node:util";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";
import type { TaskState } from "../../wire/team/task.ts";
import { oneLine } from "./one-line.ts";
import { clockTime, dayTime } from "./print-for-people.ts";
import { isDecidedByPolicy } from "../../client/core.ts";
import { requestLine } from "./request-line.ts";

type Format = Parameters<typeof styleText>[0];

const NAME_CHARS = 20;
const ASKED_CHARS = 70;
const NOTICE_CHARS = 2000;
const colours: Format[] = ["cyan", "green", "yellow", "magenta", "blue", "red"];

/** Task states that other lines already show. */
const unremarkable: ReadonlySet<TaskState> = new Set(["submitted", "working", "input_required"]);

/** Events of a team for people: one line each, with time and agent first. */
export class TimelineLines {
  readonly #out: NodeJS.WriteStream;
  readonly #names: string[] = [];
  /** Each agent's last text. */
  readonly #said = new Map<string, string>();

  /** Agents whose newest request the policy decides: they do not wait for a person. */
  readonly #unasking = new Set<string>();

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Undefined for events that only programs need. */
  lineOf(event: TeamEvent): string | undefined {
    const told = this.#tell(event);
    if (!told) return undefined;
    const [who, text] = told;
    const time = this.#paint("dim", clockTime(event.at));
    return `${time} ${this.#name(who)} ${text}`;
  }

  #tell(event: TeamEvent): [who: string, text: string] | undefined {
    switch (event.type) {
      case "team_started": {
        const model = event.rehearsal ? "; the model is rehearsed" : "";
        return ["team", `${startOf(event)}${model}`];
      }
      case "team_stopping":
        return ["team", "is being stopped"];
      case "agent_state":
        if (this.#unasking.has(event.agent)) {
          if (event.state === "waiting") return undefined;
          this.#unasking.delete(event.agent);
          if (event.state === "working") return undefined;
        }
        return [event.agent, this.#paint("dim", stateOf(event))];
      case "message_sent": {
        const { from_agent, to_agent, type, content } = event.message;
        const kind = type === "task_request" ? "" : ` [${type}]`;
        const words = this.#words(from_agent, content);
        return [from_agent, `${this.#paint("bold", `→ ${to_agent}`)}${kind} ${words}`];
      }
      case "message_moved":
        return event.step === "dead"
          ? [
              "team",
              this.#paint("red", `message ${event.id} is a dead letter: ${event.reason ?? ""}`),
            ]
          : undefined;
      case "refused":
        return [
          event.from_agent,
          this.#paint(
            "red",
            `✗ message to ${event.to_agent} refused: ${oneLine(event.error.message)}`,
          ),
        ];
      case "task_changed": {
        const { to_agent, state, title } = event.task;
        return unremarkable.has(state)
          ? undefined
          : [to_agent, this.#paint("dim", `task ${state}: ${oneLine(title, 60)}`)];
      }
      case "said":
        this.#said.set(event.agent, event.text.trim());
        return [event.agent, `“${oneLine(event.text)}”`];
      case "thought":
        return [event.agent, this.#paint("dim", `(${oneLine(event.text)})`)];
      case "tool_called":
        return event.tool.startsWith("mcp__team__")
          ? undefined
          : [event.agent, `${this.#paint("yellow", event.tool)} ${oneLine(event.summary)}`];
      case "tool_ended":
        return event.is_error
          ? [event.agent, this.#paint("red", `✗ ${oneLine(event.summary)}`)]
          : undefined;
      case "approval_requested":
        // A call that the policy decides is shown by its decision alone.
        if (isDecidedByPolicy(event.request)) {
          this.#unasking.add(event.agent);
          return undefined;
        }
        this.#unasking.delete(event.agent);
        return [
          event.agent,
          this.#paint(
            "magenta",
            `? ${requestLine(event.request, ASKED_CHARS)} (${event.request.request_id})`,
          ),
        ];
      case "approval_resolved":
        return [event.agent, this.#paint("magenta", decided(event))];
      case "agent_command":
        return [event.agent, this.#paint("magenta", ordered(event))];
      case "approval_held": {
        const by = event.by === undefined ? "" : ` by ${oneLine(event.by)}`;
        const until = clockTime(Date.parse(event.at) + event.remaining_ms);
        return [event.agent, this.#paint("magenta", `held${by}: waits until ${until}`)];
      }
      case "answered":
        return [
          event.agent,
          `${this.#paint("bold", "→ user")} ${this.#words(event.agent, event.text)}`,
        ];
      case "notice":
        return event.level === "info"
          ? undefined
          : [event.agent ?? "team", this.#paint("yellow", noticeText(event))];
      case "notice_acknowledged":
        return [
          "team",
          this.#paint("dim", `notice ${event.id} acknowledged by ${oneLine(event.by)}`),
        ];
      default:
        return undefined;
    }
  }

  /** Does not repeat what an agent has just said. */
  #words(agent: string, text: string): string {
    return this.#said.get(agent) === text.trim()
      ? this.#paint("dim", "(what it has just said)")
      : oneLine(text);
  }

  #name(name: string): string {
    const known = this.#names.indexOf(name);
    const index = known === -1 ? this.#names.push(name) - 1 : known;
    return this.#paint(colours[index % colours.length] ?? "cyan", name.padEnd(NAME_CHARS));
  }

  #paint(format: Format, text: string): string {
    return styleText(format, text, { stream: this.#out });
  }
}

/** Whole, with what to do about it: a warning that is cut short does not help. */
export const noticeText = ({ message, hint }: TeamEventOf<"notice">): string => {
  const text = oneLine(message, NOTICE_CHARS);
  return hint === undefined
    ? `! ${text}`
    : `! ${text}\n${" ".repeat(9)}${oneLine(hint, NOTICE_CHARS)}`;
};

/** Says whose memory a team continues. */
function startOf(event: TeamEventOf<"team_started">): string {
  const { team, agents, restarted, directory, last_directory, last_at } = event;
  const count = agents.length === 1 ? "1 agent" : `${agents.length} agents`;
  const where = directory === undefined ? "" : ` in ${directory}`;
  const moved =
    last_directory === undefined || last_directory === directory
      ? ""
      : `; it last worked in ${last_directory}`;
  const last = last_at === undefined ? "" : `; last seen ${dayTime(last_at)}`;
  return `${team} ${restarted ? "goes on" : "starts"} with ${count}${where}${moved}${last}`;
}

function stateOf({ state, reason, host }: TeamEventOf<"agent_state">): string {
  const where = host === undefined ? "" : ` on ${oneLine(host)}`;
  return `${state}${where}${reason === undefined ? "" : `: ${oneLine(reason)}`}`;
}

function ordered(event: TeamEventOf<"agent_command">): string {
  const { command, by, mode, model, effort, host } = event;
  const values = [host, mode, model, effort === null ? "the model's own effort" : effort];
  const to = values.filter((value) => value !== undefined).map((value) => oneLine(value));
  return `${command}${to.length === 0 ? "" : ` to ${to.join(", ")}`}, by ${oneLine(by)}`;
}

function decided(event: TeamEventOf<"approval_resolved">): string {
  const { changed } = event;
  const what =
    changed === undefined
      ? ""
      : `, changed: ${changed.tool} ${oneLine(changed.ran)} ran in place of ${oneLine(changed.asked)}`;
  return `${outcomeLine(event)}${what}`;
}

/** How a request was decided, by whom, and by which rule. */
export function outcomeLine({ outcome, by, rule }: TeamEventOf<"approval_resolved">): string {
  const who = by === undefined ? "" : ` by ${oneLine(by)}`;
  return `${outcome}${who}${rule === undefined ? "" : ` ${oneLine(rule)}`}`;
}
