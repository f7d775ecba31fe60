import { styleText } from "node:util";
import { cleanPainted } from "../attach/clean-text.ts";
import type { TeamItem } from "../../team/core.ts";

/** It is shown as what it is: a question. */
const QUESTION = "AskUserQuestion";

/** Shows a person what the lead says and does about one message, as it happens. */
export class AnswerScreen {
  readonly #id: string;
  readonly #lead: string;
  readonly #out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  // Deltas arrive at once, the beginning of their turn only when it is on the disk: deltas may come first.
  readonly #early = new Map<string, string>();
  #turn: string | undefined;
  /** The text of the lead's newest turn, if that one is about the message. */
  #said = "";
  #isMidLine = false;

  constructor(id: string, lead: string, out: NodeJS.WritableStream) {
    this.#id = id;
    this.#lead = lead;
    this.#out = out;
  }

  take(item: TeamItem): void {
    if (!("agent" in item) || item.agent !== this.#lead) return;
    if (item.type === "turn_started") this.#begin(item.turn_id, item.messages.includes(this.#id));
    if (item.type === "turn_ended") this.#early.delete(item.turn_id);
    if (item.type === "delta" && item.turn_id !== undefined) this.#hear(item.turn_id, item.text);
    if (item.type === "tool_called" && item.tool !== QUESTION) {
      this.#endLine();
      this.#write(`${styleText("dim", `[${item.tool}] ${item.summary}`, { stream: this.#out })}\n`);
    }
  }

  /** Some of the text may be missing from here on: what follows begins on a line of its own. */
  breakOff(): void {
    this.#endLine();
  }

  /**
   * Prints the answer, unless it was just shown: it may have come in a later turn. Prints nothing when there was
   * none, and an error follows.
   */
  conclude(text: string | undefined): void {
    this.#endLine();
    if (text === undefined) return;
    if (!withoutSpace(this.#said).endsWith(withoutSpace(text))) this.#write(`${text}\n`);
  }

  #begin(turn: string, isOurs: boolean): void {
    this.#said = "";
    this.#turn = isOurs ? turn : undefined;
    if (isOurs) this.#say(this.#early.get(turn) ?? "");
  }

  #hear(turn: string, text: string): void {
    if (turn === this.#turn) this.#say(text);
    else this.#early.set(turn, (this.#early.get(turn) ?? "") + text);
  }

  #say(text: string): void {
    this.#said += text;
    this.#write(text);
  }

  #endLine(): void {
    if (this.#isMidLine) this.#write("\n");
  }

  #write(text: string): void {
    if (text === "") return;
    this.#out.write(this.#out.isTTY ? cleanPainted(text) : text);
    this.#isMidLine = !text.endsWith("\n");
  }
}

/** An answer is joined from its pieces with different spaces between them. */
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, "");
