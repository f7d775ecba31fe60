import { styleText } from "node:util";
import type { EngineEvent } from "../engine/events.ts";
import type { JsonValue } from "../wire/json.ts";

/** What the session tells, and what the demo itself does. */
export type DemoEvent =
  | EngineEvent
  | { type: "user_message"; text: string }
  | { type: "approval"; request_id: string; tool: string };

const LINE_CHARS = 80;

const intro = `Switchboard: one turn of the real Claude Code CLI.
The model is rehearsed: a script on this machine plays its part. The CLI and its tools are real.`;

/** The events of a session as a person reads them: who speaks, what is called, what came of it. */
export class DemoScreen {
  readonly #out: NodeJS.WriteStream;
  readonly #cwd: string;
  /** The kind of running text that the cursor stands in. */
  #inText: "text_delta" | "thinking_delta" | undefined;

  constructor(out: NodeJS.WriteStream, cwd: string) {
    this.#out = out;
    this.#cwd = cwd;
    this.#line(this.#paint("bold", intro));
  }

  readonly show = (event: DemoEvent): void => {
    switch (event.type) {
      case "user_message":
        this.#line(`\n${this.#paint("cyan", "you")}       ${event.text}`);
        this.#line(this.#paint("dim", "          (Claude Code starts)"));
        break;
      case "thinking_delta":
        this.#text(event.type, this.#paint("dim", event.text));
        break;
      case "text_delta":
        this.#text(event.type, event.text);
        break;
      case "tool_use":
        this.#line(
          `${this.#paint("yellow", "tool")}      ${event.tool}: ${this.#brief(inputOf(event.input))}`,
        );
        break;
      case "approval":
        this.#line(
          `${this.#paint("magenta", "approval")}  ${event.tool} may run: the demo says yes`,
        );
        break;
      case "tool_result":
        this.#line(
          `${this.#paint(event.is_error ? "red" : "green", "result")}    ${this.#brief(event.output)}`,
        );
        break;
      case "turn_ended":
        this.#line(
          this.#paint(
            "dim",
            `\nThe turn took ${(event.duration_ms / 1000).toFixed(1)} s. With a real model it is the same program: the base URL and the key differ.`,
          ),
        );
        break;
      default:
        break;
    }
  };

  /** The first line, as short as a person wants it. */
  #brief(value: JsonValue): string {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const line = text.replaceAll(`${this.#cwd}/`, "").split("\n")[0] ?? "";
    return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line;
  }

  #text(kind: "text_delta" | "thinking_delta", text: string): void {
    if (this.#inText !== kind) {
      this.#endText();
      this.#out.write(
        kind === "text_delta"
          ? `${this.#paint("blue", "claude")}    `
          : this.#paint("dim", "thinking  "),
      );
      this.#inText = kind;
    }
    this.#out.write(text);
  }

  #line(text: string): void {
    this.#endText();
    this.#out.write(`${text}\n`);
  }

  #endText(): void {
    if (this.#inText) this.#out.write("\n");
    this.#inText = undefined;
  }

  #paint(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: this.#out });
  }
}

function inputOf(input: JsonValue): string {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return JSON.stringify(input);
  const main = input["command"] ?? input["file_path"];
  return typeof main === "string" ? main : JSON.stringify(input);
}
