import { isDeepStrictEqual } from "node:util";
import type { Records, Write } from "../../bus/records.ts";
import type { ContentBlock } from "../../wire/content.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";

/** By message: the blocks that the user sent. The message itself has their words. */
const CONTENTS = "message-contents";

/** Pictures and documents of the user's messages. They stand beside the messages, because agents exchange text. */
export class MessageContents {
  readonly #records: Pick<Records, "get" | "write">;

  constructor(records: Pick<Records, "get" | "write">) {
    this.#records = records;
  }

  async of(messageId: string): Promise<ContentBlock[] | undefined> {
    const value = (await this.#records.get(CONTENTS, messageId))?.value["content"];
    return Array.isArray(value) ? (value as unknown as ContentBlock[]) : undefined;
  }

  /** To be called before the message is sent: a message never stands there without its pictures. */
  async keep(messageId: string, content: readonly ContentBlock[]): Promise<void> {
    await this.#records.write([writeOf(messageId, content)]);
  }

  /** @throws `message_conflict` when the message of this id had another content. */
  async checkSame(messageId: string, content: readonly ContentBlock[] | undefined): Promise<void> {
    if (isDeepStrictEqual(await this.of(messageId), content)) return;
    throw errorOf("message_conflict", `The message ${messageId} was sent with another content.`, {
      data: { id: messageId },
    });
  }

  /** What has to be written when a message is sent again under another id. */
  async writesOfCopy(fromId: string, toId: string): Promise<Write[]> {
    const content = await this.of(fromId);
    return content ? [writeOf(toId, content)] : [];
  }
}

const writeOf = (key: string, content: readonly ContentBlock[]): Write => ({
  kind: "put",
  collection: CONTENTS,
  key,
  value: { content: [...content] } as unknown as JsonObject,
});
