import type { SessionEvent, SessionEventOf } from "../../wire/session-events.ts";
import { brief } from "./clean-text.ts";
import { eventRows } from "./event-rows.ts";
import type { Paint } from "./paint.ts";
import type { Rows } from "./running-text.ts";
import { RunningText } from "./running-text.ts";
import { callLine, diffRows, resultLine, wholeCall } from "./tool-line.ts";

/** Rows of a running command's output that are shown while it runs. */
const LIVE_ROWS = 4;
const LIVE_CHARS = 8_192;

/** Calls that have an event of their own, which tells more. */
const toldOtherwise = new Set([
  "AskUserQuestion",
  "ExitPlanMode",
  "TodoWrite",
  "TaskCreate",
  "TaskUpdate",
]);

interface Call {
  readonly line: string;
  readonly isNested: boolean;
  /** The call as it was shown. */
  readonly rows: readonly string[];
}

/** The events of a session as rows of a terminal, in the order in which they come. */
export class Transcript {
  readonly #paint: Paint;
  readonly #columns: () => number;
  readonly #isRehearsal: boolean;
  readonly #calls = new Map<string, Call>();
  readonly #hidden = new Set<string>();
  #text: { readonly key: string; readonly running: RunningText } | undefined;
  /** The call whose line was written last: its result needs no name. */
  #lastCall: string | undefined;
  /** What the command prints that spoke last. */
  #live = { requestId: "", text: "" };

  constructor(paint: Paint, columns: () => number, isRehearsal: boolean) {
    this.#paint = paint;
    this.#columns = columns;
    this.#isRehearsal = isRehearsal;
  }

  take(event: SessionEvent): Rows {
    if (event.type === "text_delta" || event.type === "thinking_delta") return this.#say(event);
    if (event.type === "tool_output_delta") return this.#output(event);
    if (event.type === "tool_input_delta" || event.type === "tool_progress") return this.#as({});
    const rest = this.#endText();
    const rows = this.#rowsOf(event);
    if (rows.length > 0) this.#live = { requestId: "", text: "" };
    return this.#as({ finished: [...rest, ...rows] });
  }

  #as({ finished = [], growing = this.#growing() }: Partial<Rows>): Rows {
    return { finished, growing };
  }

  #say(event: SessionEventOf<"text_delta" | "thinking_delta">): Rows {
    // A sub-agent's words are for the agent that asked; people see what it does.
    if (event.parent !== undefined) return this.#as({});
    const key = `${event.type} ${event.turn_id} ${event.block}`;
    const rest = this.#text?.key === key ? [] : this.#endText();
    if (this.#text?.key !== key) {
      const kind = event.type === "text_delta" ? "text" : "thinking";
      this.#text = { key, running: new RunningText(kind, this.#paint, this.#columns) };
    }
    this.#lastCall = undefined;
    const { finished, growing } = this.#text?.running.push(event.text) ?? this.#as({});
    return { finished: [...rest, ...finished], growing };
  }

  #output({ request_id: requestId, text, ended }: SessionEventOf<"tool_output_delta">): Rows {
    const before = this.#live.requestId === requestId ? this.#live.text : "";
    this.#live = { requestId, text: ended ? "" : `${before}${text}`.slice(-LIVE_CHARS) };
    return this.#as({});
  }

  #growing(): string[] {
    const shown = this.#live.text.trimEnd();
    const room = this.#columns() - 6;
    const lines = shown === "" ? [] : shown.replaceAll("\r\n", "\n").split("\n").slice(-LIVE_ROWS);
    // A progress bar writes its line again and again: the newest is what a terminal would show.
    const newest = lines.map((line) => line.slice(line.lastIndexOf("\r") + 1));
    return newest.map((line) => this.#paint("dim", `    ${brief(line, room)}`));
  }

  #endText(): string[] {
    const rows = this.#text?.running.end() ?? [];
    this.#text = undefined;
    return rows;
  }

  #rowsOf(event: SessionEvent): string[] {
    switch (event.type) {
      case "tool_use":
        return this.#use(event);
      case "approval_request":
        return this.#ask(event);
      case "tool_result":
        return this.#hidden.has(event.request_id) && !event.is_error ? [] : this.#result(event);
      case "plan": {
        const text = typeof event.plan === "string" ? event.plan : event.plan.preview;
        const plan = new RunningText("text", this.#paint, this.#columns);
        return [...plan.push(text).finished, ...plan.end()];
      }
      default: {
        const rows = eventRows(event, this.#paint, this.#columns(), this.#isRehearsal);
        const isOfCall = event.type === "approval_resolved" && event.request_id === this.#lastCall;
        if (rows.length > 0 && !isOfCall) this.#lastCall = undefined;
        return rows;
      }
    }
  }

  #use(event: SessionEventOf<"tool_use">): string[] {
    if (!toldOtherwise.has(event.tool)) {
      return this.#call(event.request_id, event.tool, event.input, event.parent);
    }
    this.#hidden.add(event.request_id);
    return [];
  }

  /** Who is asked must see all of what they allow, not only its first line. */
  #ask({ request_id, tool, input, parent }: SessionEventOf<"approval_request">): string[] {
    const before = this.#calls.get(request_id)?.rows.join("\n");
    const last = this.#lastCall;
    const call = this.#call(request_id, tool, input, parent);
    // A hook may have changed it since: then what was shown is not what is asked.
    const isShown = before === call.join("\n");
    if (isShown) this.#lastCall = last;
    const whole = wholeCall(tool, input, this.#columns()).map((row) => this.#paint("dim", row));
    return [...(isShown ? [] : call), ...whole];
  }

  #call(
    id: string,
    tool: string,
    input: SessionEventOf<"tool_use">["input"],
    parent?: string,
  ): string[] {
    const isNested = parent !== undefined;
    const margin = isNested ? "    " : "";
    const line = callLine(tool, input, this.#columns() - margin.length - 2);
    const shown = line.replace(/^\S+/, (name) => this.#paint("bold", name));
    const diff = diffRows(tool, input, this.#paint).map((row) => `${margin}    ${row}`);
    const rows = [`${margin}${this.#paint("yellow", "●")} ${shown}`, ...diff];
    this.#calls.set(id, { line, isNested, rows });
    this.#lastCall = id;
    return rows;
  }

  #result(event: SessionEventOf<"tool_result">): string[] {
    const call = this.#calls.get(event.request_id);
    const name = this.#lastCall === event.request_id || !call ? "" : `${brief(call.line, 30)}: `;
    this.#lastCall = undefined;
    const margin = call?.isNested ? "    " : "";
    const columns = this.#columns() - margin.length - name.length - 6;
    const line = `${name}${resultLine(event.output, columns)}`;
    return [`${margin}  ${this.#paint(event.is_error ? "red" : "dim", `└ ${line}`)}`];
  }
}
