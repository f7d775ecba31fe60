import { cleanText } from "./clean-text.ts";
import type { Key } from "./read-keys.ts";
import { lettersOf } from "./text-width.ts";

/** One or several lines that a person is writing. Enter submits them; the arrow keys bring submitted lines back. */
export class LineEditor {
  #before: string[] = [];
  #after: string[] = [];
  readonly #history: string[] = [];
  /** Place in the history; its length when the line is a new one. */
  #place = 0;
  #unsent = "";

  get text(): string {
    return [...this.#before, ...this.#after].join("");
  }

  get textBeforeCursor(): string {
    return this.#before.join("");
  }

  set text(value: string) {
    this.#before = lettersOf(value);
    this.#after = [];
  }

  /** Returns the whole text when the key was Enter. */
  press(key: Key): string | undefined {
    switch (key.name) {
      case "text":
        this.#before.push(...lettersOf(cleanText(key.text)));
        break;
      case "newline":
        this.#before.push("\n");
        break;
      case "enter":
        return this.#enter();
      case "backspace":
        this.#before.pop();
        break;
      case "delete":
        this.#after.shift();
        break;
      case "left":
        this.#after.unshift(...this.#before.splice(-1));
        break;
      case "right":
        this.#before.push(...this.#after.splice(0, 1));
        break;
      case "home":
        this.#after.unshift(...this.#before.splice(0));
        break;
      case "end":
        this.#before.push(...this.#after.splice(0));
        break;
      case "kill-left":
        this.#before = [];
        break;
      case "kill-right":
        this.#after = [];
        break;
      case "kill-word":
        this.#before = lettersOf(this.textBeforeCursor.replace(/\S+\s*$/, ""));
        break;
      case "up":
        this.#recall(this.#place - 1);
        break;
      case "down":
        this.#recall(this.#place + 1);
        break;
      default:
        break;
    }
    return undefined;
  }

  #enter(): string {
    const { text } = this;
    if (text.trim() !== "" && this.#history.at(-1) !== text) this.#history.push(text);
    this.#place = this.#history.length;
    this.text = "";
    return text;
  }

  #recall(place: number): void {
    if (place < 0 || place > this.#history.length) return;
    if (this.#place === this.#history.length) this.#unsent = this.text;
    this.#place = place;
    this.text = this.#history[place] ?? this.#unsent;
  }
}
