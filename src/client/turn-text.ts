import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";

/** A whole block of what the model has said or thought. */
export interface Utterance {
  readonly kind: "said" | "thought";
  readonly text: string;
}

interface Block {
  readonly block: number;
  readonly kind: Utterance["kind"];
  text: string;
}

/** What the model says in a turn, joined from its pieces. What sub-agents say is left out. */
export class TurnText {
  #blocks: Block[] = [];
  /** Blocks before this one came before the last tool. */
  #finalFrom = 0;
  /** Blocks before this one have been taken. */
  #takenUpTo = 0;

  add(event: SessionEvent): void {
    if ("parent" in event && event.parent !== undefined) return;
    if (event.type === "turn_started") this.#begin();
    else if (event.type === "text_delta") this.#append("said", event);
    else if (event.type === "thinking_delta") this.#append("thought", event);
    else if (event.type === "retracted") this.#retract(event);
    else if (event.type === "tool_use") this.#finalFrom = this.#blocks.length;
  }

  /** The text after the last tool call; if there is none, the last block of text of the turn. */
  get final(): string {
    const after = this.#said(this.#blocks.slice(this.#finalFrom));
    return after.length > 0 ? after.join("\n\n") : (this.#said(this.#blocks).at(-1) ?? "");
  }

  /**
   * For one reader: the blocks that have become whole since the last call. More may be added to the newest block
   * until the turn or the block ends, which the caller knows.
   */
  takeWhole(isEnd: boolean): Utterance[] {
    const upto = isEnd ? this.#blocks.length : this.#blocks.length - 1;
    const whole = this.#blocks.slice(this.#takenUpTo, Math.max(upto, this.#takenUpTo));
    this.#takenUpTo += whole.length;
    return whole.filter(({ text }) => text.trim() !== "").map(({ kind, text }) => ({ kind, text }));
  }

  #begin(): void {
    this.#blocks = [];
    this.#finalFrom = 0;
    this.#takenUpTo = 0;
  }

  #append(
    kind: Utterance["kind"],
    { block, text }: SessionEventOf<"text_delta" | "thinking_delta">,
  ): void {
    const known = this.#blocks.findLast((each) => each.block === block && each.kind === kind);
    if (known) known.text += text;
    else this.#blocks.push({ block, kind, text });
  }

  #retract({ block }: SessionEventOf<"retracted">): void {
    for (const each of this.#blocks) if (each.block === block) each.text = "";
  }

  #said(blocks: readonly Block[]): string[] {
    return blocks
      .filter(({ kind, text }) => kind === "said" && text.trim() !== "")
      .map(({ text }) => text.trim());
  }
}
