import { errorOf } from "../../wire/errors.ts";
import type { GatewayMemory } from "./pass-file.ts";
import type { NewPass, Pass } from "./pass.ts";
import { hasEnded, makePass, passOfHalves, passOfToken, renewPass, usePass } from "./pass.ts";

/** Ended ones are forgotten, so this many are in use at the same time. */
const MAX_PASSES = 200;

export interface PassStoreParts {
  readonly memory: GatewayMemory;
  /** Called with what must be on the disk before the change counts. */
  readonly keep: (memory: GatewayMemory) => void;
  /** What need not be on the disk could not be kept. */
  readonly onKeepFailed: (cause: unknown) => void;
  readonly wallMs: () => number;
  /** The sign-in is over: it was revoked, left, or has ended. */
  readonly onEnd: (id: string) => void;
}

/** All passes of one gateway. Every change is on the disk before it counts, except that time has passed. */
export class PassStore {
  readonly #parts: PassStoreParts;
  #memory: GatewayMemory;

  constructor(parts: PassStoreParts) {
    this.#parts = parts;
    this.#memory = parts.memory;
  }

  get cookieName(): string {
    return `sb-${this.#memory.instance}`;
  }

  list(): readonly Pass[] {
    this.sweep();
    return this.#memory.passes;
  }

  /** @throws `queue_full` when there are too many. */
  make(wanted: NewPass): { pass: Pass; token: string } {
    this.sweep();
    if (this.#memory.passes.length >= MAX_PASSES) throw tooMany();
    const made = makePass(wanted, this.#now());
    this.#keep([...this.#memory.passes, made.pass]);
    return made;
  }

  /** Uses a link up. Undefined when no open link has this token. */
  enter(token: string): { pass: Pass; cookie: string; key: string } | undefined {
    const open = passOfToken(this.#memory.passes, token, this.#now());
    if (!open) return undefined;
    const used = usePass(open, this.#now());
    this.#replace(used.pass);
    return used;
  }

  /** The sign-in to which both halves belong; this counts as a use. */
  find(cookie: string, key: string): Pass | undefined {
    const found = passOfHalves(this.#memory.passes, cookie, key, this.#now());
    return found && this.#renew(found);
  }

  /** A socket of this sign-in is open. */
  touch(id: string): void {
    const pass = this.#memory.passes.find((each) => each.id === id);
    if (pass && !hasEnded(pass, this.#now())) this.#renew(pass);
  }

  /** Returns false when there is no such pass. */
  revoke(id: string): boolean {
    const others = this.#memory.passes.filter((pass) => pass.id !== id);
    if (others.length === this.#memory.passes.length) return false;
    this.#keep(others);
    this.#parts.onEnd(id);
    return true;
  }

  /** Forgets what has ended. */
  sweep(): void {
    const ended = this.#memory.passes.filter((pass) => hasEnded(pass, this.#now()));
    if (ended.length === 0) return;
    for (const { id } of ended) this.#parts.onEnd(id);
    const memory = {
      ...this.#memory,
      passes: this.#memory.passes.filter((pass) => !ended.includes(pass)),
    };
    // They have ended by the clock, whatever the disk still says.
    this.#memory = memory;
    this.#tryTo(() => this.#parts.keep(memory));
  }

  #renew(pass: Pass): Pass {
    const renewed = renewPass(pass, this.#now());
    if (renewed === pass) return pass;
    return this.#tryTo(() => this.#replace(renewed)) ? renewed : pass;
  }

  /** A full disk keeps nobody out who is in. */
  #tryTo(keep: () => void): boolean {
    try {
      keep();
      return true;
    } catch (cause) {
      this.#parts.onKeepFailed(cause);
      return false;
    }
  }

  #replace(pass: Pass): void {
    this.#keep(this.#memory.passes.map((each) => (each.id === pass.id ? pass : each)));
  }

  #keep(passes: Pass[]): void {
    const memory = { ...this.#memory, passes };
    this.#parts.keep(memory);
    this.#memory = memory;
  }

  #now(): number {
    return this.#parts.wallMs();
  }
}

const tooMany = () =>
  errorOf("queue_full", `There are ${MAX_PASSES} links and sign-ins already.`, {
    data: { limit: MAX_PASSES },
    hint: "Revoke some of them first.",
  });
