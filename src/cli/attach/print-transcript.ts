import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import type { FileChange } from "../../wire/session/file-change.ts";
import { changeRows } from "./change-rows.ts";
import { brief } from "./clean-text.ts";
import { eventRows } from "./event-rows.ts";
import type { Paint } from "./terminal-formats.ts";
import type { TerminalRows } from "./running-text.ts";
import { RunningText } from "./running-text.ts";
import { callLine, diffRows, isFolded, resultLine, wholeCall } from "./tool-call-lines.ts";
import { ToolOutputs } from "./tool-outputs.ts";

/** Rows of a running command's output that are shown while it runs. */
const LIVE_ROWS = 4;
const LIVE_CHARS = 8_192;

/** Calls that have an event of their own, which shows more. */
const toldOtherwise = new Set([
  "AskUserQuestion",
  "ExitPlanMode",
  "TodoWrite",
  "TaskCreate",
  "TaskUpdate",
]);

interface PrintedCall {
  readonly line: string;
  readonly isNested: boolean;
  readonly input: SessionEventOf<"tool_use">["input"];
  readonly tool: string;
  /** Those that were printed last. */
  readonly rows: readonly string[];
  /** What it changes was printed, too. */
  readonly diff?: string;
}

/** The events of a session as rows of a terminal, in the order in which they come. */
export class TranscriptPrinter {
  /** Those of which only a line was shown. */
  readonly outputs = new ToolOutputs();
  readonly #paint: Paint;
  readonly #columns: () => number;
  readonly #isRehearsal: boolean;
  /** The calls that were printed and whose result was not. */
  readonly #calls = new Map<string, PrintedCall>();
  /** The calls that were not printed, because an event of their own shows more; until their result. */
  readonly #hidden = new Set<string>();
  #text: { readonly key: string; readonly running: RunningText } | undefined;
  /** Rows of the running text that may still change. */
  #growingText: readonly string[] = [];
  /** The last call whose line was printed: its result needs no name. */
  #lastCall: string | undefined;
  /** The newest live output. */
  #live = { requestId: "", text: "" };

  constructor(paint: Paint, columns: () => number, isRehearsal: boolean) {
    this.#paint = paint;
    this.#columns = columns;
    this.#isRehearsal = isRehearsal;
  }

  take(event: SessionEvent): TerminalRows {
    if (event.type === "text_delta" || event.type === "thinking_delta") return this.#say(event);
    if (event.type === "tool_output_delta") return this.#output(event);
    if (event.type === "tool_input_delta" || event.type === "tool_progress") return this.#as([]);
    const rows = this.#rowsOf(event);
    // An event of which nothing is shown does not cut a text in two.
    if (rows.length === 0) return this.#as([]);
    const rest = this.#endText();
    this.#live = { requestId: "", text: "" };
    return this.#as([...rest, ...rows]);
  }

  /** The growing rows, for a terminal whose size has changed and which has kept the first `kept` of them. */
  resize(kept: number): TerminalRows {
    this.#text?.running.keep(Math.min(kept, this.#growingText.length));
    return this.#as(this.#grow("").finished);
  }

  #as(finished: readonly string[]): TerminalRows {
    return { finished, growing: [...this.#growingText, ...this.#liveRows()] };
  }

  /** Adds to the text that is running. */
  #grow(piece: string): TerminalRows {
    const rows = this.#text?.running.push(piece) ?? { finished: [], growing: [] };
    this.#growingText = rows.growing;
    return rows;
  }

  #say(event: SessionEventOf<"text_delta" | "thinking_delta">): TerminalRows {
    // A sub-agent's text is for the agent that asked; people see its actions.
    if (event.parent !== undefined) return this.#as([]);
    const key = `${event.type} ${event.turn_id} ${event.block}`;
    const rest = this.#text?.key === key ? [] : this.#endText();
    if (this.#text?.key !== key) {
      const kind = event.type === "text_delta" ? "text" : "thinking";
      this.#text = { key, running: new RunningText(kind, this.#paint, this.#columns) };
    }
    this.#lastCall = undefined;
    return this.#as([...rest, ...this.#grow(event.text).finished]);
  }

  #output({
    request_id: requestId,
    text,
    ended,
  }: SessionEventOf<"tool_output_delta">): TerminalRows {
    const before = this.#live.requestId === requestId ? this.#live.text : "";
    this.#live = { requestId, text: ended ? "" : `${before}${text}`.slice(-LIVE_CHARS) };
    return this.#as([]);
  }

  #liveRows(): string[] {
    const shown = this.#live.text.trimEnd();
    const room = this.#columns() - 6;
    const lines = shown === "" ? [] : shown.replaceAll("\r\n", "\n").split("\n").slice(-LIVE_ROWS);
    // A progress bar rewrites its line: a terminal would show the newest.
    const newest = lines.map((line) => line.slice(line.lastIndexOf("\r") + 1));
    return newest.map((line) => this.#paint("dim", `    ${brief(line, room)}`));
  }

  #endText(): string[] {
    const rows = this.#text?.running.end() ?? [];
    this.#text = undefined;
    this.#growingText = [];
    return rows;
  }

  #rowsOf(event: SessionEvent): string[] {
    switch (event.type) {
      case "tool_use":
        return this.#use(event);
      case "approval_request":
        return this.#ask(event);
      case "tool_result":
        return this.#hidden.delete(event.request_id) && !event.is_error ? [] : this.#result(event);
      case "plan": {
        const text = typeof event.plan === "string" ? event.plan : event.plan.preview;
        return this.#wholeText(text);
      }
      case "earlier":
        return this.#earlier(event);
      default: {
        const rows = eventRows(event, this.#paint, this.#columns(), this.#isRehearsal);
        const isOfCall = event.type === "approval_resolved" && event.request_id === this.#lastCall;
        if (rows.length > 0 && !isOfCall) this.#lastCall = undefined;
        return rows;
      }
    }
  }

  #wholeText(text: string): string[] {
    const running = new RunningText("text", this.#paint, this.#columns);
    return [...running.push(text).finished, ...running.end()];
  }

  #earlier({ messages, omitted, seq, at }: SessionEventOf<"earlier">): string[] {
    const dim = (text: string): string => this.#paint("dim", text);
    const rows = messages.flatMap(({ role, text }) =>
      role === "assistant"
        ? this.#wholeText(text)
        : eventRows({ type: "user_message", id: "", seq, at, text }, this.#paint, this.#columns()),
    );
    const older = omitted === 0 ? [] : [dim(`… ${omitted} older messages are not shown`)];
    return [...older, ...rows, dim("  — said before; the session goes on here —")];
  }

  #use(event: SessionEventOf<"tool_use">): string[] {
    if (!toldOtherwise.has(event.tool)) {
      return this.#call(event.request_id, event.tool, event.input, event.parent);
    }
    this.#hidden.add(event.request_id);
    return [];
  }

  /** A person must see all of what they allow, not only its first line. */
  #ask(event: SessionEventOf<"approval_request">): string[] {
    const { request_id, tool, input, parent, changes } = event;
    const before = this.#calls.get(request_id);
    const last = this.#lastCall;
    const line = this.#call(request_id, tool, input, parent);
    // A hook may have changed it since: the displayed call then differs from the requested one.
    const isNamed = before?.rows.join("\n") === line.join("\n");
    const diff = this.#diff(request_id, changes);
    const whole = wholeCall(tool, input, this.#columns(), changes).map((row) =>
      this.#paint("dim", row),
    );
    const isShown = isNamed && before?.diff === diff.join("\n");
    if (isNamed) this.#lastCall = last;
    return [...(isNamed ? [] : line), ...(isShown ? [] : diff), ...whole];
  }

  /** What a call changes is shown when a person is asked, or else with its result. */
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
    const rows = [`${margin}${this.#paint("yellow", "●")} ${shown}`];
    this.#calls.set(id, { line, isNested, tool, input, rows });
    this.#lastCall = id;
    return rows;
  }

  /** The rows of what a call changes; from its input alone if the session does not know more. */
  #diff(id: string, changes: readonly FileChange[] | undefined): string[] {
    const call = this.#calls.get(id);
    if (!call) return [];
    const margin = call.isNested ? "        " : "    ";
    const columns = this.#columns() - margin.length;
    const rows = changes
      ? changes.flatMap((change) => this.#changeRows(change, columns))
      : diffRows(call.tool, call.input, this.#paint);
    const diff = rows.map((row) => `${margin}${row}`);
    this.#calls.set(id, { ...call, diff: diff.join("\n") });
    return diff;
  }

  #changeRows(change: FileChange, columns: number): string[] {
    const { rows, folded } = changeRows(change, this.#paint, columns);
    if (!folded) return [...rows];
    const number = this.outputs.add(folded.text);
    return [...rows, this.#paint("dim", `… ${folded.lines} changed lines in all: /show ${number}`)];
  }

  #result(event: SessionEventOf<"tool_result">): string[] {
    const call = this.#calls.get(event.request_id);
    const diff = event.is_error ? [] : this.#diffOfResult(event, call);
    this.#calls.delete(event.request_id);
    const name = this.#lastCall === event.request_id || !call ? "" : `${brief(call.line, 30)}: `;
    this.#lastCall = undefined;
    const margin = call?.isNested ? "    " : "";
    const columns = this.#columns() - margin.length - name.length - 6;
    const more = isFolded(event.output, columns) ? ` /show ${this.outputs.add(event.output)}` : "";
    const line = `${name}${resultLine(event.output, columns - more.length)}${more}`;
    return [...diff, `${margin}  ${this.#paint(event.is_error ? "red" : "dim", `└ ${line}`)}`];
  }

  /** Nobody was asked, or something else has happened than what was asked. */
  #diffOfResult(
    { request_id, changes }: SessionEventOf<"tool_result">,
    call?: PrintedCall,
  ): string[] {
    if (!call || (call.diff !== undefined && !changes)) return [];
    const diff = this.#diff(request_id, changes);
    return diff.join("\n") === call.diff ? [] : diff;
  }
}
