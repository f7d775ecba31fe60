import { randomUUID } from "node:crypto";
import { errorOf } from "../wire/errors.ts";
import type { CCMessage } from "../wire/team/messages.ts";
import type { DeadLetter, DeadLetters, SendOptions } from "./bus.ts";
import { pageOf, pageRequest } from "./page-cursor.ts";
import { toStoredMessage, readMessage } from "./stored-message.ts";
import type { Page } from "./records.ts";
import type { BusCore, DeadRow } from "./store.ts";

export class StoredDeadLetters implements DeadLetters {
  readonly #bus: BusCore;
  readonly #onResent: (message: CCMessage) => void;

  constructor(bus: BusCore, onResent: (message: CCMessage) => void) {
    this.#bus = bus;
    this.#onResent = onResent;
  }

  async list(
    options: { all?: boolean; limit?: number; cursor?: string } = {},
  ): Promise<Page<DeadLetter>> {
    const page = pageRequest(options, "newest");
    const rows = await this.#bus.run({ kind: "deadList", all: options.all ?? false, page });
    return pageOf(rows, page, deadLetterOf);
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const row = await this.#bus.run({ kind: "deadGet", id });
    return row && deadLetterOf(row);
  }

  async resend(
    id: string,
    newId: string = randomUUID(),
    { writes = [] }: SendOptions = {},
  ): Promise<CCMessage | undefined> {
    const dead = await this.get(id);
    if (dead?.fate !== "open") return undefined;
    const nowMs = this.#bus.nowMs();
    const message = copyUnder(dead.message, newId, nowMs);
    const letter = toStoredMessage(message, nowMs);
    const outcome = await this.#bus.run({ kind: "deadResend", id, letter, writes, nowMs });
    if (outcome === "conflict") {
      throw errorOf("message_conflict", `A message was already sent under the id ${newId}.`, {
        data: { id: newId },
      });
    }
    if (outcome === "gone") return undefined;
    this.#onResent(message);
    return message;
  }

  discard(id: string): Promise<boolean> {
    return this.#bus.run({ kind: "deadDiscard", id });
  }
}

function copyUnder(message: CCMessage, id: string, nowMs: number): CCMessage {
  const timestamp = new Date(nowMs).toISOString();
  const { metadata } = message;
  const retry_count = metadata.retry_count + 1;
  // The root of an exchange is its own first message; so is the message that replaces it.
  const root_id = message.root_id === message.id ? id : message.root_id;
  return { ...message, id, root_id, timestamp, metadata: { ...metadata, timestamp, retry_count } };
}

function deadLetterOf(row: DeadRow): DeadLetter {
  const { body, cause, why, attempts, diedAt, fate, resentAs } = row;
  return { message: readMessage(body), cause, why, attempts, diedAt, fate, resentAs };
}
