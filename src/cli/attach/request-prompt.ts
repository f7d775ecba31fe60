import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { ElicitationForm } from "./elicitation-form.ts";
import type { Key } from "./read-keys.ts";
import type { Paint } from "./terminal-formats.ts";
import type { RequestChoice, RequestDecision, Editable } from "./request-choices.ts";
import { choicesOf, editableOf, headOf, QuestionForm } from "./request-choices.ts";
import { lettersOf, wrap } from "./text-width.ts";

/** Keys that come this soon after a request appeared were meant for something else. */
const TYPE_AHEAD_MS = 500;
/** Labels up to this length are placed side by side. */
const SHORT_LABEL = 24;

/**
 * The request that a person is asked about, and where their keys go. A person who is writing a message when it
 * appears goes on writing: no letter of theirs may allow anything.
 */
export class RequestPrompt {
  readonly request: PendingRequest;
  readonly #choices: readonly RequestChoice[];
  readonly #questions: QuestionForm | undefined;
  /** What an MCP server wants filled in, once the person has begun with it. */
  #form: ElicitationForm | undefined;
  readonly #since = performance.now();
  /** "keys": one key decides. "line": a line answers or states the reason. "message": it is set aside. */
  #takes: "keys" | "line" | "message";
  /** The line is the edited call. */
  #change: Editable | undefined;
  #isMisread = false;

  constructor(request: PendingRequest, isWriting: boolean) {
    this.request = request;
    this.#choices = choicesOf(request);
    this.#questions = request.type === "question" ? new QuestionForm(request.questions) : undefined;
    this.#takes = isWriting ? "message" : this.#own();
  }

  /** Whether a finished line goes to the request. */
  get takesLine(): boolean {
    return this.#takes === "line";
  }

  /** Tab: from the request to the message and back. */
  toggle(): void {
    this.#takes = this.#takes === this.#own() ? "message" : this.#own();
  }

  /** Esc: from a started line back to the keys. Returns true when there was something to step back from. */
  stepBack(): boolean {
    if (this.#takes !== "line" || this.#questions) return false;
    this.#takes = "keys";
    this.#change = undefined;
    return true;
  }

  /** The initial text of the line, which the person edits. */
  get draft(): string {
    return this.#change?.text ?? "";
  }

  /** A decision; "used" when the key was for the request but decided nothing; or undefined. */
  press(key: Key): RequestDecision | "used" | undefined {
    if (this.#takes !== "keys" || key.name !== "text") return undefined;
    // More than one letter at once is not a key press of a person.
    const isText = key.isPaste || lettersOf(key.text).length > 1;
    if (isText || performance.now() - this.#since < TYPE_AHEAD_MS) {
      this.#takes = "message";
      return undefined;
    }
    const choice = this.#choices.find((each) => each.key === key.text.toLowerCase());
    if (choice?.decision === "fill") return this.#fill();
    if (choice?.decision === "change") this.#change = editableOf(this.request);
    else if (choice?.decision !== "reason") return choice?.decision ?? "used";
    this.#takes = "line";
    this.#isMisread = false;
    return "used";
  }

  #fill(): RequestDecision | "used" {
    if (this.request.type !== "elicitation") return "used";
    this.#form ??= new ElicitationForm(this.request);
    if (this.#form.isEmpty) return { type: "respond", action: "accept", content: {} };
    this.#takes = "line";
    return "used";
  }

  /** The finished line, when `takesLine`. Undefined: there is more to ask. */
  enter(line: string): RequestDecision | undefined {
    if (this.#change) {
      const updatedInput = this.#change.read(line);
      this.#isMisread = updatedInput === undefined;
      return updatedInput && { type: "approve", options: { updatedInput } };
    }
    if (this.#form) return this.#form.answer(line);
    if (!this.#questions) {
      const reason = line.trim();
      return { type: "deny", options: reason === "" ? {} : { reason } };
    }
    const answers = this.#questions.answer(line);
    return answers && { type: "answer", answers };
  }

  rows(paint: Paint, columns: number): string[] {
    if (this.#questions) {
      const rows = this.#questions.rows(paint);
      return this.#takes === "line" ? rows : [...rows, paint("dim", "Tab to answer")];
    }
    const head = paint(["yellow", "bold"], headOf(this.request, columns));
    if (this.#takes === "message") return [head, paint("dim", "Tab to answer")];
    if (this.#change) {
      const asJson = "This is no JSON object. Change it, or Esc: back";
      const how = "Change the call; Enter allows it, this once. Esc: back";
      return [head, paint("dim", this.#isMisread ? asJson : how)];
    }
    if (this.#takes === "line" && this.#form) {
      return [head, ...this.#form.rows(paint), paint("dim", "Esc: back")];
    }
    if (this.#takes === "line")
      return [head, paint("dim", "Why not? The model reads it. Esc: back")];
    return [head, ...this.#choiceRows(paint, columns)];
  }

  /** A long choice is shown in full, in rows of its own. */
  #choiceRows(paint: Paint, columns: number): string[] {
    const apart = this.#choices.filter(({ label }) => label.length > SHORT_LABEL);
    const together = [
      ...this.#choices.filter((choice) => !apart.includes(choice)),
      { key: "Tab", label: "write a message instead" },
    ];
    const shown = ({ key, label }: Pick<RequestChoice, "key" | "label">) =>
      `${paint("bold", key)} ${label}`;
    const rows = [...apart.map(shown), together.map(shown).join(paint("dim", " · "))];
    return rows.flatMap((row) => wrap(row, columns, "  "));
  }

  #own(): "keys" | "line" {
    return this.#questions ? "line" : "keys";
  }
}
