import type { Readable, Writable } from "node:stream";
import type { Conversation, SessionClient, SessionItem } from "../../client/core.ts";
import { emptyConversation, fold } from "../../client/core.ts";
import { LineSplitter } from "../../wire/lines.ts";
import { decodeUtf8 } from "../../wire/utf8.ts";
import { errorOf } from "../../wire/errors.ts";
import type { StopReason } from "../../wire/session-events-turn.ts";
import { commandsFor, ownCommand, ownCommandsHelp } from "./own-commands.ts";
import { noPaint } from "./paint.ts";
import { questionRows } from "./requests.ts";
import { Transcript } from "./transcript.ts";
import { cleanText } from "./clean-text.ts";

export interface PlainOptions {
  readonly input: Readable;
  /** What the model says, or every event as JSON. */
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Everything else for people. */
  readonly aside: Writable;
  readonly json: boolean;
  /** After the last line, stay until the messages sent have been dealt with. */
  readonly wait: boolean;
  /** After the last line, stay until the session ends. */
  readonly follow: boolean;
}

const WIDE = 200;

/** A session for scripts: each line of the input is a message, and what is said comes out as lines. */
export class PlainChat {
  readonly #client: SessionClient;
  readonly #options: PlainOptions;
  readonly #transcript: Transcript;
  /** Messages sent whose turn has not ended. */
  readonly #open = new Set<string>();
  #view: Conversation;
  #isInputOver = false;
  #failure: StopReason | undefined;
  #unended = "";

  constructor(client: SessionClient, options: PlainOptions) {
    this.#client = client;
    this.#options = options;
    // Its events begin where the session is now; what was asked before is known from the first line alone.
    const { last_seq: seq, pending, rehearsal } = client.init;
    this.#view = { ...emptyConversation, seq, pending };
    this.#transcript = new Transcript(noPaint, () => WIDE, rehearsal);
  }

  /** @throws `execution_failed` when a turn that it waited for did not complete. */
  async run(): Promise<void> {
    const reading = this.#read();
    const showing = this.#show();
    await Promise.race([showing, reading.then(() => showing)]);
    await this.#client.close();
    if (this.#failure) {
      throw errorOf("execution_failed", `The turn ended with ${this.#failure}.`);
    }
  }

  async #read(): Promise<void> {
    const splitter = new LineSplitter();
    for await (const chunk of this.#options.input) {
      for (const split of splitter.push(chunk as Uint8Array)) {
        if (!split.ok) throw split.error;
        if ((await this.#submit(decodeUtf8(split.bytes))) === "quit") return this.#client.close();
      }
    }
    // A last line without its end is a line all the same.
    for (const split of splitter.push(new Uint8Array([0x0a]))) {
      if (split.ok) await this.#submit(decodeUtf8(split.bytes));
    }
    this.#isInputOver = true;
    await this.#leaveWhenDone();
  }

  async #submit(line: string): Promise<"quit" | undefined> {
    const own = ownCommand(line, this.#client, this.#view.pending);
    if (own) {
      const outcome = await own;
      if (outcome === "help") this.#aside(ownCommandsHelp);
      return outcome === "quit" ? outcome : undefined;
    }
    const id = crypto.randomUUID();
    this.#open.add(id);
    await this.#client.send(line, { id });
    return undefined;
  }

  async #show(): Promise<void> {
    if (!this.#options.json) for (const request of this.#view.pending) this.#tell(request);
    for await (const item of this.#client.events()) {
      this.#view = fold(this.#view, [item]);
      if (this.#options.json) this.#out(`${JSON.stringify(item)}\n`);
      else this.#tell(item);
      if (item.type === "done") this.#end(item.messages, item.stop_reason);
      if (item.type === "message_dropped") this.#end([item.id], "aborted");
      await this.#leaveWhenDone();
    }
  }

  #tell(item: SessionItem): void {
    if (item.type === "reset" || this.#view.snapshot === "skipping") return;
    if (item.type === "text_delta" && item.parent === undefined) {
      const { isTTY } = this.#options.output;
      this.#out(isTTY === true ? cleanText(item.text) : item.text);
      this.#unended = item.text.endsWith("\n") ? "" : "\n";
      return;
    }
    const { finished: told } = this.#transcript.take(item);
    const asked = item.type === "question" ? item.questions : undefined;
    const finished = asked?.flatMap((question) => questionRows(question, noPaint)) ?? told;
    if (finished.length > 0) this.#out(this.#unended);
    if (finished.length > 0) this.#unended = "";
    for (const row of finished) if (row !== "") this.#aside(row);
    for (const request of this.#view.pending) {
      const { request_id } = request;
      if ("request_id" in item && item.request_id === request_id && item.type !== "tool_use") {
        this.#aside(`? ${commandsFor(request)}`);
      }
    }
  }

  #end(messages: readonly string[], reason: StopReason): void {
    for (const id of messages) {
      if (this.#open.delete(id) && reason !== "completed") this.#failure ??= reason;
    }
  }

  async #leaveWhenDone(): Promise<void> {
    if (!this.#isInputOver || this.#options.follow) return;
    if (this.#options.wait && this.#open.size > 0) return;
    if (!this.#options.wait) this.#failure = undefined;
    this.#out(this.#unended);
    this.#unended = "";
    await this.#client.close();
  }

  #out(text: string): void {
    if (text !== "") this.#options.output.write(text);
  }

  #aside(text: string): void {
    this.#options.aside.write(`${text}\n`);
  }
}
