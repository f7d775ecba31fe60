import type { ClaudeCodeError } from "../wire/errors.ts";
import { fromWire } from "../wire/error-wire.ts";
import type { SessionAnswer } from "../wire/session-answers.ts";
import type { SessionCommandInput } from "../wire/session-commands.ts";
import type { SessionEvent } from "../wire/session-events.ts";

/** How the fate of a command is known, beside the answer that carries its `ref`. */
export interface CommandRules {
  /**
   * The event that shows that the command was carried out, or the error why it was not. `isLater` is false for one that
   * was in the log already when the command was sent, and is told now because we had not heard of it.
   */
  readonly shownBy?: (event: SessionEvent, isLater: boolean) => true | ClaudeCodeError | undefined;
  /** Asked before the command is sent a second time: its purpose is fulfilled, so it must not be. */
  readonly isMoot?: () => boolean;
  /** Its purpose is that nobody is at the session's address any more. */
  readonly endsSession?: boolean;
}

type RefCommand = SessionCommandInput & { readonly ref: string };

interface OpenCommand extends CommandRules {
  readonly command: RefCommand;
  readonly resolve: (answer: SessionAnswer | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Where it was last sent. */
  sentOn: SentOn | undefined;
}

interface SentOn {
  /** Number of the connection. */
  readonly connection: number;
  /** The newest event that the session had, as far as was known. */
  readonly lastSeq: number;
}

/** The commands whose fate is not known yet. They outlive the connection that they were sent on. */
export class OpenCommands {
  readonly #byRef = new Map<string, OpenCommand>();
  #lastRef = 0;

  get size(): number {
    return this.#byRef.size;
  }

  /** Resolves with the answer, or with nothing when an event showed the outcome. */
  add(command: SessionCommandInput, rules: CommandRules = {}): Promise<SessionAnswer | undefined> {
    this.#lastRef += 1;
    const ref = String(this.#lastRef);
    const { promise, resolve, reject } = Promise.withResolvers<SessionAnswer | undefined>();
    this.#byRef.set(ref, {
      ...rules,
      command: { ...command, ref },
      resolve,
      reject,
      sentOn: undefined,
    });
    return promise;
  }

  /**
   * Those to be sent on this connection, each once and in the order in which they were made: with `again` also
   * those whose connection was lost before an answer came. Until then none goes out that was made after such a one.
   */
  takeUnsent(on: SentOn, again: boolean): RefCommand[] {
    const taken: RefCommand[] = [];
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
      taken.push(open.command);
    }
    return taken;
  }

  /** True when the answer was to one of these. */
  answer(answer: SessionAnswer): boolean {
    const open = answer.ref === undefined ? undefined : this.#take(answer.ref);
    if (open && answer.type === "error") open.reject(fromWire(answer));
    else open?.resolve(answer);
    return open !== undefined;
  }

  observe(event: SessionEvent): void {
    for (const [ref, { sentOn, shownBy, resolve, reject }] of this.#byRef) {
      const shown = sentOn && shownBy?.(event, event.seq > sentOn.lastSeq);
      if (shown === undefined) continue;
      this.#byRef.delete(ref);
      if (shown === true) resolve(undefined);
      else reject(shown);
    }
  }

  /** Nobody is at the session's address any more. True when one that was sent had asked for that. */
  sessionGone(): boolean {
    let wasAsked = false;
    for (const [ref, open] of this.#byRef) {
      if (open.sentOn === undefined || !open.endsSession) continue;
      this.#byRef.delete(ref);
      open.resolve(undefined);
      wasAsked = true;
    }
    return wasAsked;
  }

  fail(ref: string, error: unknown): void {
    this.#take(ref)?.reject(error);
  }

  failAll(error: Error): void {
    for (const ref of this.#byRef.keys()) this.fail(ref, error);
  }

  #take(ref: string): OpenCommand | undefined {
    const open = this.#byRef.get(ref);
    this.#byRef.delete(ref);
    return open;
  }
}
