import { styleText } from "node:util";
import type { TeamEvent } from "../../wire/team-events.ts";

type Format = Parameters<typeof styleText>[0];

const LINE_CHARS = 110;
const NAME_CHARS = 20;
const colours: Format[] = ["cyan", "green", "yellow", "magenta", "blue", "red"];

/** Events of a team as people read them: one line each, the time and who first. */
export class TimelineLines {
  readonly #out: NodeJS.WriteStream;
  readonly #names: string[] = [];

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Undefined for what only programs want to know. */
  lineOf(event: TeamEvent): string | undefined {
    const told = this.#tell(event);
    if (!told) return undefined;
    const [who, text] = told;
    const time = this.#paint("dim", event.at.slice(11, 19));
    return `${time} ${this.#name(who)} ${text}`;
  }

  #tell(event: TeamEvent): [who: string, text: string] | undefined {
    switch (event.type) {
      case "team_started": {
        const model = event.rehearsal ? "; the model is rehearsed" : "";
        const how = event.restarted ? "goes on" : "starts";
        return ["team", `${event.team} ${how} with ${event.agents.length} agents${model}`];
      }
      case "team_stopping":
        return ["team", "is being stopped"];
      case "agent_state":
        return [
          event.agent,
          this.#paint(
            "dim",
            event.state + (event.reason === undefined ? "" : `: ${brief(event.reason)}`),
          ),
        ];
      case "message_sent": {
        const { from_agent, to_agent, type, content } = event.message;
        const kind = type === "task_request" ? "" : ` [${type}]`;
        return [from_agent, `${this.#paint("bold", `→ ${to_agent}`)}${kind} ${brief(content)}`];
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
            `✗ message to ${event.to_agent} refused: ${brief(event.error.message)}`,
          ),
        ];
      case "task_changed": {
        const { to_agent, state, title } = event.task;
        return state === "submitted" || state === "working"
          ? undefined
          : [to_agent, this.#paint("dim", `task ${state}: ${brief(title, 60)}`)];
      }
      case "said":
        return [event.agent, `“${brief(event.text)}”`];
      case "thought":
        return [event.agent, this.#paint("dim", `(${brief(event.text)})`)];
      case "tool_called":
        return event.tool.startsWith("mcp__team__")
          ? undefined
          : [event.agent, `${this.#paint("yellow", event.tool)} ${brief(event.summary)}`];
      case "tool_ended":
        return event.is_error
          ? [event.agent, this.#paint("red", `✗ ${brief(event.summary)}`)]
          : undefined;
      case "approval_requested":
        return [event.agent, this.#paint("magenta", `? ${asked(event)}`)];
      case "approval_resolved":
        return [
          event.agent,
          this.#paint(
            "magenta",
            `${event.outcome}${event.by === undefined ? "" : ` by ${event.by}`}`,
          ),
        ];
      case "answered":
        return [event.agent, `${this.#paint("bold", "→ user")} ${brief(event.text)}`];
      case "notice":
        return event.level === "info"
          ? undefined
          : [event.agent ?? "team", this.#paint("yellow", `! ${brief(event.message)}`)];
      default:
        return undefined;
    }
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

function asked({ request }: Extract<TeamEvent, { type: "approval_requested" }>): string {
  if (request.type === "question") return `asks: ${request.questions[0]?.question ?? ""}`;
  if (request.type === "plan") return "has a plan and waits for leave";
  const main = Object.values(request.input).find((value) => typeof value === "string");
  return `${request.tool} ${brief(main ?? "", 60)} (${request.request_id})`;
}

/** The first line, as short as a terminal wants it, and nothing in it that a terminal would obey. */
export function brief(text: string, chars = LINE_CHARS): string {
  const line = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\p{Cc}/gu, "�");
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
}
