import type { ClaudeCodeError } from "../wire/errors.ts";
import type { StreamTypes } from "./stream-protocol.ts";

/** How the outcome of a command is known, beside the answer with its ref. */
export interface CommandRules<Event> {
  /**
   * Returns true for the event that shows that the command was carried out, or the error why it was not. `isLater` is
   * false for an event that was in the log before the command was sent and that we receive only now.
   */
  readonly shownBy?: (event: Event, isLater: boolean) => true | ClaudeCodeError | undefined;
  /** Called before the command is sent a second time: whether its purpose is already fulfilled. */
  readonly isMoot?: () => boolean;
  /** The command is done when the server is gone. */
  readonly endsServer?: boolean;
  /** Not to be sent again: when its connection is lost before the answer, it fails. */
  readonly once?: boolean;
}

interface OpenCommand<Types extends StreamTypes> extends CommandRules<Types["event"]> {
  readonly command: Types["command"];
  readonly resolve: (answer: Types["answer"] | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Where it was last sent. */
  sentOn: SentOn | undefined;
}

interface SentOn {
  /** Number of the connection. */
  readonly connection: number;
  /** The server's newest event, as far as we knew. */
  readonly lastSeq: number;
}

/** A command to be sent now. */
export interface RefCommand<Command> {
  readonly ref: string;
  readonly command: Command;
}

/** The commands whose outcome is unknown. They outlive the connection that they were sent on. */
export class OpenCommands<Types extends StreamTypes> {
  readonly #byRef = new Map<string, OpenCommand<Types>>();
  #lastRef = 0;

  get size(): number {
    return this.#byRef.size;
  }

  /** Resolves with the answer, or with undefined when an event showed the outcome. */
  add(
    command: Types["command"],
    rules: CommandRules<Types["event"]> = {},
  ): Promise<Types["answer"] | undefined> {
    this.#lastRef += 1;
    const ref = String(this.#lastRef);
    const { promise, resolve, reject } = Promise.withResolvers<Types["answer"] | undefined>();
    this.#byRef.set(ref, { ...rules, command, resolve, reject, sentOn: undefined });
    return promise;
  }

  /**
   * The commands to send on this connection, each once and in the order of the calls; with `again` also those whose
   * connection was lost before an answer came. Until then later commands wait behind these.
   */
  takeUnsent(on: SentOn, again: boolean): RefCommand<Types["command"]>[] {
    const taken: RefCommand<Types["command"]>[] = [];
    for (const [ref, open] of this.#byRef) {
      const isNew = open.sentOn === undefined;
      if (open.sentOn?.connection === on.connection) continue;
      if (!isNew && !again) break;
      if (!isNew && open.isMoot?.()) {
        this.#byRef.delete(ref);
        open.resolve(undefined);
        continue;
      }
      open.sentOn = on;
      taken.push({ ref, command: open.command });
    }
    return taken;
  }

  /** Returns true when the answer was to one of these commands. */
  answer(ref: string | undefined, answer: Types["answer"]): boolean {
    const open = this.#take(ref);
    open?.resolve(answer);
    return open !== undefined;
  }

  /** Returns true when the refusal was of one of these commands. */
  refuse(ref: string | undefined, error: unknown): boolean {
    const open = this.#take(ref);
    open?.reject(error);
    return open !== undefined;
  }

  observe(event: Types["event"]): void {
    for (const [ref, { sentOn, shownBy, resolve, reject }] of this.#byRef) {
      const shown = sentOn && shownBy?.(event, event.seq > sentOn.lastSeq);
      if (shown === undefined) continue;
      this.#byRef.delete(ref);
      if (shown === true) resolve(undefined);
      else reject(shown);
    }
  }

  /** A connection was lost: commands that must not be sent again fail. */
  connectionLost(error: Error): void {
    for (const [ref, { once, sentOn }] of this.#byRef) {
      if (once === true && sentOn) this.refuse(ref, error);
    }
  }

  /** The server is gone. Returns true when a command that was sent had asked for that. */
  serverGone(): boolean {
    let wasAsked = false;
    for (const [ref, open] of this.#byRef) {
      if (open.sentOn === undefined || !open.endsServer) continue;
      this.#byRef.delete(ref);
      open.resolve(undefined);
      wasAsked = true;
    }
    return wasAsked;
  }

  failAll(error: Error): void {
    for (const ref of this.#byRef.keys()) this.refuse(ref, error);
  }

  #take(ref: string | undefined): OpenCommand<Types> | undefined {
    if (ref === undefined) return undefined;
    const open = this.#byRef.get(ref);
    this.#byRef.delete(ref);
    return open;
  }
}
