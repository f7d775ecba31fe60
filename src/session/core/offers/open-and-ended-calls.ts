import { errorOf } from "../../../wire/errors.ts";
import type { ClientLink } from "../session-types.ts";
import type { OfferedCall } from "./offered-call.ts";

/** Of the newest this many ended calls a late result is told that it is late; older ones are just unknown. */
const MAX_ENDED = 1000;

interface OpenCall {
  readonly namespace: string;
  readonly call: OfferedCall;
  /** The client that has the call, or had it last. */
  owner: ClientLink | undefined;
}

/** The open calls of offered tools, and the newest ended ones. */
export class KnownCalls {
  readonly #epoch: number;
  readonly #open = new Map<string, OpenCall>();
  readonly #ended = new Set<string>();
  #count = 0;

  /** @param epoch of the host: a call of an earlier host must not be taken for one of this host's. */
  constructor(epoch: number) {
    this.#epoch = epoch;
  }

  newId(): string {
    this.#count += 1;
    return `c${this.#epoch}-${this.#count}`;
  }

  add(namespace: string, call: OfferedCall): void {
    this.#open.set(call.id, { namespace, call, owner: undefined });
  }

  give(call: OfferedCall, owner: ClientLink): void {
    const open = this.#open.get(call.id);
    if (open) open.owner = owner;
  }

  ownerOf(call: OfferedCall): ClientLink | undefined {
    return this.#open.get(call.id)?.owner;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  of(namespace: string): OfferedCall[] {
    const own = [...this.#open.values()].filter((open) => open.namespace === namespace);
    return own.map(({ call }) => call);
  }

  end(call: OfferedCall): void {
    if (!this.#open.delete(call.id)) return;
    this.#ended.add(call.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * The open call that this client has.
   *
   * @throws `already_resolved` when it is over; `unknown_request` for an id that this client was not given.
   */
  ownedBy(link: ClientLink, id: string): OfferedCall {
    const open = this.#open.get(id);
    if (open?.owner === link) return open.call;
    if (this.#ended.has(id)) {
      throw errorOf("already_resolved", `The call ${id} is over.`, {
        data: { call: id },
        hint: "It has returned, was cancelled, or ran out of time. You need not do anything.",
      });
    }
    throw errorOf("unknown_request", `No call ${id} of this client is open.`, {
      data: { call: id },
      hint: "Return the calls that came on this connection. After a lost connection offer the tools again first, and name the calls in running.",
    });
  }
}
