import type { Readable, Writable } from "node:stream";
import type { SessionClient, SessionItem } from "../../client/core.ts";
import { formFields, SessionView } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { brief, cleanText } from "./clean-text.ts";
import { PastItems } from "./hold-past-items.ts";
import type { OwnOutcome } from "./own-commands.ts";
import { commandsFor, contextOf, ownCommand, ownCommandNames } from "./own-commands.ts";
import { ownCommandsHelp } from "./own-commands.ts";
import { linesOf } from "./input-lines.ts";
import { noPaint } from "./terminal-formats.ts";
import { fieldRows } from "./elicitation-form.ts";
import { questionRows } from "./request-choices.ts";
import { SearchPages } from "./search-pages.ts";
import { commandIn, mustBeKnown } from "./slash-command.ts";
import { wholeOutput } from "./tool-outputs.ts";
import { TranscriptPrinter } from "./print-transcript.ts";
import type { Elsewhere } from "./observer-rows.ts";

export interface PlainOptions {
  readonly input: Readable;
  /** The model's text, or every event as JSON. */
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Everything else for people. */
  readonly aside: Writable;
  readonly json: boolean;
  /** After the last line, stay until the sent messages have been processed. */
  readonly wait: boolean;
  /** After the last line, stay until the session ends. */
  readonly follow: boolean;
  /** How many of the last messages are told at the start; then the client begins with the first event. None by default. */
  readonly historyTurns?: number;
  /** The model is a rehearsed script; by default what the session says of that. */
  readonly isRehearsal?: boolean;
  /** For a session that can only be watched. */
  readonly elsewhere?: Elsewhere | undefined;
}

const WIDE = 200;
/** How much of a message an error quotes. */
const QUOTED_CHARS = 60;

const quoted = (text: string): string => `"${brief(text, QUOTED_CHARS)}"`;

/** A session for scripts: each input line is a message, and the output is lines. */
export class PlainChat {
  readonly #client: SessionClient;
  readonly #options: PlainOptions;
  readonly #transcript: TranscriptPrinter;
  readonly #past: PastItems;
  readonly #pastIsTold = Promise.withResolvers<void>();
  /** The texts of the messages whose turn has not ended, by their ids. */
  readonly #open = new Map<string, string>();
  readonly #view: SessionView;
  readonly #search: SearchPages;
  #isInputOver = false;
  #isConnected = true;
  /** This program ends the connection, not the session. */
  #isLeaving = false;
  /** What became of the first message that was not answered. */
  #failure: string | undefined;
  #unended = "";

  constructor(client: SessionClient, options: PlainOptions) {
    this.#client = client;
    this.#options = options;
    this.#search = new SearchPages(client);
    const { historyTurns = 0 } = options;
    // Without history its events begin where the session is now; what was asked before is known from the first line alone.
    const { last_seq: since, pending, rehearsal } = client.init;
    this.#view = new SessionView(historyTurns > 0 ? {} : { since, pending });
    this.#past = new PastItems(historyTurns, since);
    const isRehearsal = options.isRehearsal ?? rehearsal;
    this.#transcript = new TranscriptPrinter(noPaint, () => WIDE, isRehearsal);
  }

  /** A line that was not ended is a line all the same: nothing is left. */
  readonly draft = "";

  /**
   * @throws `execution_failed` when a message was not answered: its turn did not complete, or the session ended
   * first.
   */
  async run(): Promise<void> {
    const showing = this.#show();
    // When the connection is over, what has been shown says why.
    const reading = this.#read().catch((error: unknown) => {
      if (toWire(error).code !== "connection_lost") throw error;
    });
    await Promise.race([showing, reading.then(() => showing)]);
    await this.#client.close();
    const failure = this.#whatFailed();
    if (failure === undefined) return;
    const hasEnded = this.#failure === undefined;
    const hint = "Start the session again: agent-socket --cwd DIR --resume SESSION_ID";
    throw errorOf("execution_failed", failure, hasEnded ? { hint } : {});
  }

  connectionChanged(isConnected: boolean): void {
    this.#isConnected = isConnected;
    void this.#endWithSession();
  }

  #whatFailed(): string | undefined {
    if (this.#failure) return this.#failure;
    if (this.#isLeaving) return undefined;
    const { size } = this.#open;
    const texts = Array.from(this.#open.values(), quoted);
    const which = size === 1 ? "a message was not answered" : `${size} messages were not answered`;
    const unanswered = size === 0 ? "" : ` and ${which} (${texts.join(", ")})`;
    const { closing } = this.#view;
    if (closing?.reason === "failed") {
      return `The session failed${unanswered}: ${closing.message ?? "it gave no reason"}`;
    }
    return size > 0 ? `The session has ended${unanswered}.` : undefined;
  }

  async #read(): Promise<void> {
    await this.#pastIsTold.promise;
    for await (const line of linesOf(this.#options.input)) {
      if ((await this.#submit(line)) === "quit") return this.#leave();
    }
    this.#isInputOver = true;
    await this.#leaveWhenDone();
  }

  async #submit(line: string): Promise<"quit" | undefined> {
    const own = ownCommand(line, this.#client, contextOf(this.#view, this.#search, false));
    if (own) {
      const outcome = await own;
      await this.#obey(outcome);
      return outcome === "quit" ? outcome : undefined;
    }
    if (commandIn(line) !== undefined) {
      mustBeKnown(line, ownCommandNames, (await this.#client.status()).slash_commands);
    }
    const id = crypto.randomUUID();
    this.#open.set(id, line);
    await this.#client.send(line, { id });
    return undefined;
  }

  async #obey(outcome: OwnOutcome): Promise<void> {
    if (outcome === "help") this.#aside(ownCommandsHelp);
    if (typeof outcome !== "object" || "edit" in outcome) return;
    if ("tell" in outcome) return this.#aside(outcome.tell);
    const output = this.#transcript.outputs.get(outcome.show);
    this.#aside(cleanText(await wholeOutput(output, (blob) => this.#client.blob(blob))));
  }

  async #show(): Promise<void> {
    if (this.#past.isOver) this.#beginLive();
    for await (const item of this.#client.events()) {
      const wasLive = this.#past.isOver;
      const { skipped, shown } = this.#past.take(item, this.#client.init.last_seq);
      for (const each of skipped) this.#view.apply(each);
      for (const each of shown) this.#take(each, wasLive);
      if (!wasLive && this.#past.isOver) this.#beginLive();
      await this.#leaveWhenDone();
    }
  }

  #take(item: SessionItem, isLive: boolean): void {
    this.#view.apply(item);
    if (this.#options.json) this.#out(`${JSON.stringify(item)}\n`);
    else this.#tell(item, isLive);
    if (item.type === "done" || item.type === "message_dropped") this.#closeEnded();
    void this.#endWithSession();
  }

  /** Tells what waits for an answer; from now on the input is read. */
  #beginLive(): void {
    for (const request of this.#options.json ? [] : this.#view.pending) {
      if (this.#howToAnswer(request) !== undefined) this.#tell(request);
    }
    this.#pastIsTold.resolve();
  }

  #tell(item: SessionItem, isLive = true): void {
    if (item.type === "reset" || this.#view.isSkippingSnapshot) return;
    if (item.type === "text_delta" && item.parent === undefined) {
      const { isTTY } = this.#options.output;
      this.#out(isTTY === true ? cleanText(item.text) : item.text);
      this.#unended = item.text.endsWith("\n") ? "" : "\n";
      return;
    }
    const { finished: told } = this.#transcript.take(item);
    const questions = item.type === "question" ? item.questions : undefined;
    const fields = item.type === "elicitation" ? formFields(item.schema) : [];
    const finished = [
      ...(questions?.flatMap((each) => questionRows(each, noPaint)) ?? told),
      ...fields.flatMap((field) => fieldRows(field, noPaint)),
    ];
    if (finished.length > 0) this.#out(this.#unended);
    if (finished.length > 0) this.#unended = "";
    for (const row of finished) if (row !== "") this.#aside(row);
    // What was asked in the past may have been answered since.
    const asked = isLive ? this.#view.pending : [];
    for (const request of asked) {
      const { request_id } = request;
      const isThis = "request_id" in item && item.request_id === request_id;
      const how = isThis && item.type !== "tool_use" ? this.#howToAnswer(request) : undefined;
      if (how !== undefined) this.#aside(`? ${how}`);
    }
  }

  #howToAnswer(request: PendingRequest): string | undefined {
    const { elsewhere } = this.#options;
    return elsewhere ? elsewhere.decide(request) : commandsFor(request);
  }

  #closeEnded(): void {
    for (const [id, text] of this.#open) {
      const outcome = this.#view.outcomeOf(id);
      if (outcome === undefined) continue;
      this.#open.delete(id);
      if (outcome === "dropped") this.#failure ??= `The message ${quoted(text)} was dropped.`;
      else if (outcome !== "completed") this.#failure ??= `The turn ended with ${outcome}.`;
    }
  }

  /** A host that said that it ends, and then is gone, has ended. One that is gone without a word may come back. */
  async #endWithSession(): Promise<void> {
    if (!this.#view.closing || this.#isConnected) return;
    this.#out(this.#unended);
    this.#unended = "";
    await this.#client.close();
  }

  async #leaveWhenDone(): Promise<void> {
    if (!this.#isInputOver || this.#options.follow) return;
    if (this.#options.wait && this.#open.size > 0) return;
    if (!this.#options.wait) this.#failure = undefined;
    this.#out(this.#unended);
    this.#unended = "";
    await this.#leave();
  }

  async #leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#client.close();
  }

  #out(text: string): void {
    if (text !== "") this.#options.output.write(text);
  }

  #aside(text: string): void {
    this.#options.aside.write(`${text}\n`);
  }
}
