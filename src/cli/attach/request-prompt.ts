import type { PendingRequest } from "../../wire/session-events-approval.ts";
import type { Key } from "./keys.ts";
import type { Paint } from "./paint.ts";
import type { Choice, Decision } from "./requests.ts";
import { choicesOf, headOf, QuestionForm } from "./requests.ts";

/** Keys that come this soon after a request appeared were meant for something else. */
const TYPE_AHEAD_MS = 500;

/**
 * The request that a person is asked about, and which way their keys go. Who is writing a message when
 * it appears goes on writing: no letter of theirs may allow anything.
 */
export class RequestPrompt {
  readonly request: PendingRequest;
  readonly #choices: readonly Choice[];
  readonly #form: QuestionForm | undefined;
  readonly #since = performance.now();
  /** "keys": one key decides. "line": a line answers or gives the reason. "message": it is set aside. */
  #takes: "keys" | "line" | "message";

  constructor(request: PendingRequest, isWriting: boolean) {
    this.request = request;
    this.#choices = choicesOf(request);
    this.#form = request.type === "question" ? new QuestionForm(request.questions) : undefined;
    this.#takes = isWriting ? "message" : this.#own();
  }

  /** Where a line that the person ends goes. */
  get takesLine(): boolean {
    return this.#takes === "line";
  }

  /** Esc and Tab: from the request to the message and back. */
  toggle(): void {
    this.#takes = this.#takes === this.#own() ? "message" : this.#own();
  }

  /** True when there was something to step back from. */
  stepBack(): boolean {
    if (this.#takes !== "line" || this.#form) return false;
    this.#takes = "keys";
    return true;
  }

  /** A decision; "used" when the key was for the request but decided nothing; or undefined. */
  press(key: Key): Decision | "used" | undefined {
    if (this.#takes !== "keys" || key.name !== "text") return undefined;
    if (key.isPaste || performance.now() - this.#since < TYPE_AHEAD_MS) {
      this.#takes = "message";
      return undefined;
    }
    const choice = this.#choices.find((each) => each.key === key.text.toLowerCase());
    if (choice?.decision !== "reason") return choice?.decision ?? "used";
    this.#takes = "line";
    return "used";
  }

  /** The line that the person ended, when `takesLine`. Undefined: there is more to ask. */
  enter(line: string): Decision | undefined {
    if (!this.#form) {
      const reason = line.trim();
      return { type: "deny", options: reason === "" ? {} : { reason } };
    }
    const answers = this.#form.answer(line);
    return answers && { type: "answer", answers };
  }

  rows(paint: Paint, columns: number): string[] {
    if (this.#form) {
      const rows = this.#form.rows(paint);
      return this.#takes === "line" ? rows : [...rows, paint("dim", "Tab to answer")];
    }
    const head = paint(["yellow", "bold"], headOf(this.request, columns));
    if (this.#takes === "message") return [head, paint("dim", "Tab to answer")];
    if (this.#takes === "line")
      return [head, paint("dim", "Why not? The model reads it. Esc: back")];
    const keys = this.#choices.map(({ key, label }) => `${paint("bold", key)} ${label}`);
    return [head, keys.join(paint("dim", " · "))];
  }

  #own(): "keys" | "line" {
    return this.#form ? "line" : "keys";
  }
}
