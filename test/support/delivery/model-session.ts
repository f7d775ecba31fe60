export type SessionLine =
  | { readonly type: "user_message" | "message_seen" }
  | { readonly type: "message_dropped"; readonly isTakenBack: boolean }
  | { readonly type: "turn_started" | "tool_use" }
  | { readonly type: "tool_result"; readonly carries: boolean }
  /** @param ours the turn ends the message. */
  | { readonly type: "done"; readonly ours: boolean; readonly isIdle: boolean };

/** The session of the recipient, with its log, its conversation and one call of its model. */
export class ModelSession {
  readonly isQuiet: boolean;
  log: SessionLine[] = [];
  isTaken = false;
  over: "seen" | "dropped" | undefined;
  /** How often the conversation has the message, as a message and in results. */
  copies = { asMessage: 0, inResults: 0 };
  turn: { ours: boolean } | undefined;
  call: "none" | "open" | "returning" | "over" = "none";
  /** The call has reached the team, and waits there. */
  isWaiting = false;

  /** @param isQuiet the message starts no turn. */
  constructor(isQuiet: boolean) {
    this.isQuiet = isQuiet;
  }

  see(): void {
    this.over = "seen";
    this.copies.asMessage += 1;
    if (!this.isQuiet) {
      if (this.turn) this.turn.ours = true;
      else this.startTurn({ ours: true });
    }
    this.log.push({ type: "message_seen" });
  }

  drop(isTakenBack: boolean): void {
    this.over = "dropped";
    this.log.push({ type: "message_dropped", isTakenBack });
  }

  startTurn(turn: { ours: boolean }): void {
    this.turn = turn;
    this.log.push({ type: "turn_started" });
  }

  endTurn(): void {
    const ours = this.turn?.ours ?? false;
    this.turn = undefined;
    if (this.call !== "none") this.call = "over";
    this.isWaiting = false;
    const isIdle = !this.isTaken || this.over !== undefined;
    this.log.push({ type: "done", ours, isIdle });
  }

  callTool(): void {
    this.call = "open";
    this.log.push({ type: "tool_use" });
  }

  endCall(carries: boolean): void {
    this.call = "over";
    this.isWaiting = false;
    if (carries) this.copies.inResults += 1;
    this.log.push({ type: "tool_result", carries });
  }
}
