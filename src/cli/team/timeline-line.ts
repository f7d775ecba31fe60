import { styleText } from "node:util";
import type { PolicyRule } from "../../team/file/team-schema.ts";
import { judgeCall } from "../../team/rules/policy.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team-events.ts";
import type { TaskState } from "../../wire/team-task.ts";
import { brief } from "./brief.ts";
import { clockTime } from "./print.ts";
import { requestLine } from "./request-line.ts";

type Format = Parameters<typeof styleText>[0];

const NAME_CHARS = 20;
const ASKED_CHARS = 70;
const colours: Format[] = ["cyan", "green", "yellow", "magenta", "blue", "red"];

/** States of a task that other lines tell of. */
const unremarkable: ReadonlySet<TaskState> = new Set(["submitted", "working", "input_required"]);

/** Events of a team as people read them: one line each, the time and who first. */
export class TimelineLines {
  readonly #out: NodeJS.WriteStream;
  readonly #names: string[] = [];
  /** What each agent said last. */
  readonly #said = new Map<string, string>();

  readonly #policy: readonly PolicyRule[];
  /** Agents whose newest request the policy decides: nobody is asked, and so they do not wait. */
  readonly #unasking = new Set<string>();

  /** @param policy the team's, where it is known: a call on which it decides is told by its decision alone. */
  constructor(out: NodeJS.WriteStream, policy: readonly PolicyRule[] = []) {
    this.#out = out;
    this.#policy = policy;
  }

  /** Undefined for what only programs want to know. */
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
        const how = event.restarted ? "goes on" : "starts";
        return ["team", `${event.team} ${how} with ${event.agents.length} agents${model}`];
      }
      case "team_stopping":
        return ["team", "is being stopped"];
      case "agent_state":
        if (this.#unasking.has(event.agent)) {
          if (event.state === "waiting") return undefined;
          this.#unasking.delete(event.agent);
          if (event.state === "working") return undefined;
        }
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
            `✗ message to ${event.to_agent} refused: ${brief(event.error.message)}`,
          ),
        ];
      case "task_changed": {
        const { to_agent, state, title } = event.task;
        return unremarkable.has(state)
          ? undefined
          : [to_agent, this.#paint("dim", `task ${state}: ${brief(title, 60)}`)];
      }
      case "said":
        this.#said.set(event.agent, event.text.trim());
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
        if (this.#isDecided(event)) {
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
      case "answered":
        return [
          event.agent,
          `${this.#paint("bold", "→ user")} ${this.#words(event.agent, event.text)}`,
        ];
      case "notice":
        return event.level === "info"
          ? undefined
          : [event.agent ?? "team", this.#paint("yellow", `! ${brief(event.message)}`)];
      default:
        return undefined;
    }
  }

  #isDecided({ agent, request }: TeamEventOf<"approval_requested">): boolean {
    if (request.type !== "approval_request") return false;
    return judgeCall(this.#policy, agent, request).action !== "ask";
  }

  /** What an agent has just said aloud need not be read twice. */
  #words(agent: string, text: string): string {
    return this.#said.get(agent) === text.trim()
      ? this.#paint("dim", "(these words)")
      : brief(text);
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

function decided({ outcome, by, rule }: Extract<TeamEvent, { type: "approval_resolved" }>): string {
  const who = by === undefined ? "" : ` by ${by}`;
  return `${outcome}${who}${rule === undefined ? "" : ` ${rule}`}`;
}
