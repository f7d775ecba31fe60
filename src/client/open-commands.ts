import type { ClaudeCodeError } from "../wire/errors.ts";
import { fromWire } from "../wire/error-wire.ts";
import type { SessionAnswer } from "../wire/session-answers.ts";
import type { SessionCommandInput } from "../wire/session-commands.ts";
import type { SessionEvent } from "../wire/session-events.ts";

/** How the fate of a command is known, beside the answer that carries its `ref`. */
export interface CommandRules {
  /** The event that shows that the command was carried out, or the error why it was not. */
  readonly shownBy?: (event: SessionEvent) => true | ClaudeCodeError | undefined;
  /** Asked before the command is sent a second time: its purpose is fulfilled, so it must not be. */
  readonly isMoot?: () => boolean;
  /** The connection's end is the sign of success. */
  readonly endsConnection?: boolean;
}

type RefCommand = SessionCommandInput & { readonly ref: string };

interface OpenCommand extends CommandRules {
  readonly command: RefCommand;
  readonly resolve: (answer: SessionAnswer | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Number of the connection that it was last sent on. */
  sentOn: number | undefined;
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
   * Those to be sent on this connection, each once: the new ones, and with `again` also those whose
   * connection was lost before an answer came.
   */
  takeUnsent(connection: number, again: boolean): RefCommand[] {
    const taken: RefCommand[] = [];
    for (const [ref, open] of this.#byRef) {
      const isNew = open.sentOn === undefined;
      if (open.sentOn === connection || (!isNew && !again)) continue;
      if (!isNew && open.isMoot?.()) {
        this.#byRef.delete(ref);
        open.resolve(undefined);
        continue;
      }
      open.sentOn = connection;
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
      const shown = sentOn === undefined ? undefined : shownBy?.(event);
      if (shown === undefined) continue;
      this.#byRef.delete(ref);
      if (shown === true) resolve(undefined);
      else reject(shown);
    }
  }

  /** True when one of them meant to end the connection. */
  connectionEnded(): boolean {
    let meant = false;
    for (const [ref, open] of this.#byRef) {
      if (open.sentOn === undefined || !open.endsConnection) continue;
      this.#byRef.delete(ref);
      open.resolve(undefined);
      meant = true;
    }
    return meant;
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
