import type { ReadStream, WriteStream } from "node:tty";
import type { SessionClient, SessionItem } from "../../client/core.ts";
import { SessionView } from "../../client/core.ts";
import type { WireError } from "../../wire/error-wire.ts";
import { toWire } from "../../wire/error-wire.ts";
import { brief, cleanText } from "./clean-text.ts";
import { ESC } from "./escape-character.ts";
import { PastItems } from "./hold-past-items.ts";
import { refreshSize } from "./refresh-size.ts";
import { inputRows } from "./input-rows.ts";
import type { Key } from "./read-keys.ts";
import { KeyReader, SEQUENCE_MS } from "./read-keys.ts";
import { LineEditor } from "./line-editor.ts";
import type { OwnOutcome } from "./own-commands.ts";
import { contextOf, isForWatchers, ownCommand, ownCommandNames } from "./own-commands.ts";
import { ownCommandsHelp } from "./own-commands.ts";
import type { Format, Paint } from "./terminal-formats.ts";
import { paintFor } from "./terminal-formats.ts";
import { RequestPrompt } from "./request-prompt.ts";
import type { RequestDecision } from "./request-choices.ts";
import { headOf } from "./request-choices.ts";
import { Screen } from "./terminal-screen.ts";
import { SearchPages } from "./search-pages.ts";
import type { SleepingAgent } from "./input-to-hibernating-agent.ts";
import { sendToSleeper } from "./input-to-hibernating-agent.ts";
import { commandIn, mustBeKnown } from "./slash-command.ts";
import { statusRow } from "./status-row.ts";
import { wrap } from "./text-width.ts";
import { wholeOutput } from "./tool-outputs.ts";
import { TranscriptPrinter } from "./print-transcript.ts";
import { Unsent } from "./unsent-input.ts";
import type { Elsewhere } from "./observer-rows.ts";
import { watchedRows } from "./observer-rows.ts";

const PASTE_ON = `${ESC}[?2004h`;
const PASTE_OFF = `${ESC}[?2004l`;
/** Ctrl-C twice within this time leaves. */
const LEAVE_MS = 2_000;
/** A transcript is at least this wide, however narrow the terminal is. */
const MIN_COLUMNS = 20;
/** Rows of the input that are shown, however much is above them. */
const MIN_INPUT_ROWS = 3;

/** Keys that come this soon after the start were typed before it, when Enter was still a line feed. */
const TYPED_BEFORE_MS = 1_000;

export interface ChatOptions {
  /** How many of the last messages are shown at the start. */
  readonly historyTurns: number;
  /** The session does not run: its log is shown. */
  readonly isRecording?: boolean;
  /** The model is a rehearsed script; by default what the session says of that. */
  readonly isRehearsal?: boolean;
  /** The agent whose log it is: the chat ends when the agent wakes. */
  readonly sleeper?: SleepingAgent | undefined;
  /** What the person has begun to write. */
  readonly draft?: string | undefined;
  /** What an observer can do elsewhere. */
  readonly elsewhere: Elsewhere;
}

/** A terminal on which a person talks with a session. */
export class Chat {
  readonly #client: SessionClient;
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #options: ChatOptions;
  readonly #paint: Paint;
  readonly #screen: Screen;
  readonly #message = new LineEditor();
  /** The text that answers a request, separate from the message, so that neither becomes the other. */
  readonly #answer = new LineEditor();
  readonly #keys = new KeyReader();
  #loneEscape: NodeJS.Timeout | undefined;
  /** No key has come yet. */
  #isFresh = true;
  #transcript: TranscriptPrinter;
  readonly #view = new SessionView();
  #prompt: RequestPrompt | undefined;
  readonly #past: PastItems;
  #isConnected = true;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #hint: string | undefined;
  readonly #unsent = new Unsent();
  readonly #search: SearchPages;
  #hasEnded = false;

  constructor(
    client: SessionClient,
    terminal: { readonly input: ReadStream; readonly output: WriteStream },
    options: ChatOptions,
  ) {
    this.#client = client;
    this.#input = terminal.input;
    this.#output = terminal.output;
    this.#options = options;
    this.#paint = paintFor(terminal.output);
    this.#screen = new Screen(terminal.output);
    this.#transcript = this.#newTranscript();
    this.#search = new SearchPages(client);
    this.#past = new PastItems(options.historyTurns, client.init.last_seq);
    this.#message.text = options.draft ?? "";
  }

  /** Resolves when the person has left or the session has ended. @throws when reconnecting was given up. */
  async run(): Promise<void> {
    const began = performance.now();
    const onData = (chunk: string): void => {
      const isBefore = this.#isFresh && performance.now() - began < TYPED_BEFORE_MS;
      this.#isFresh = false;
      this.#type(isBefore ? chunk.replaceAll("\n", "\r") : chunk);
    };
    const onResize = (): void => this.#resize();
    const onSignal = (): void => this.#leave();
    const clock = setInterval(() => this.#drawFooter(), 1_000);
    this.#input.setEncoding("utf8").setRawMode(true).on("data", onData).resume();
    this.#output.on("resize", onResize).write(PASTE_ON);
    process.once("SIGTERM", onSignal).once("SIGHUP", onSignal);
    void this.#options.sleeper?.awake.then(() => this.#leave());
    this.#greet();
    try {
      for await (const item of this.#client.events()) this.#take(item);
    } finally {
      this.#hasEnded = true;
      clearInterval(clock);
      clearTimeout(this.#loneEscape);
      process.off("SIGTERM", onSignal).off("SIGHUP", onSignal);
      for (const text of this.#unsent.texts) {
        this.#printText(`Not sent, as far as is known: ${text}`, "yellow");
      }
      this.#screen.end();
      this.#output.off("resize", onResize).write(PASTE_OFF);
      this.#input.off("data", onData).setRawMode(false).pause();
    }
  }

  /** What the person is writing. */
  get draft(): string {
    return this.#message.text;
  }

  connectionChanged(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#drawFooter();
  }

  #resize(): void {
    const { finished, growing } = this.#transcript.resize(this.#screen.settle());
    this.#screen.show(finished, growing);
    this.#drawFooter();
  }

  #newTranscript(): TranscriptPrinter {
    const columns = (): number => Math.max(this.#screen.columns, MIN_COLUMNS);
    return new TranscriptPrinter(this.#paint, columns, this.#isRehearsal);
  }

  get #isRehearsal(): boolean {
    return this.#options.isRehearsal ?? this.#client.init.rehearsal;
  }

  get #isReadOnly(): boolean {
    return this.#client.init.read_only;
  }

  /** The session's process has said that it ends, and no later one has come. */
  get #hasClosed(): boolean {
    const { closing } = this.#view;
    return closing !== undefined && closing.seq > this.#client.init.last_seq;
  }

  get #editor(): LineEditor {
    return this.#prompt?.takesLine ? this.#answer : this.#message;
  }

  #greet(): void {
    const { session_id, cwd } = this.#client.init;
    const { isRecording, elsewhere } = this.#options;
    const how = this.#isReadOnly ? "You can only watch it here." : "/help lists the commands.";
    this.#printText(
      isRecording
        ? `Session ${session_id} does not run. This is its log.\n${elsewhere.speak}`
        : `Session ${session_id} in ${cwd}. ${how}`,
      "dim",
    );
    this.#drawFooter();
  }

  #take(item: SessionItem): void {
    refreshSize(this.#output);
    const { skipped, shown } = this.#past.take(item, this.#client.init.last_seq);
    if (shown.length === 0) return;
    for (const each of skipped) this.#view.apply(each);
    if (skipped.length > 0) this.#print([this.#paint("dim", "… earlier messages (--history)")]);
    for (const each of shown) this.#show(each);
    this.#choosePrompt();
    this.#drawFooter();
  }

  #show(item: SessionItem): void {
    this.#view.apply(item);
    if (item.type === "reset") {
      this.#transcript = this.#newTranscript();
      this.#print([
        this.#paint("dim", "— earlier events no longer count; the log begins again here —"),
      ]);
    } else if (!this.#view.isSkippingSnapshot) {
      const { finished, growing } = this.#transcript.take(item);
      this.#screen.show(finished, growing);
    }
  }

  #print(rows: readonly string[]): void {
    this.#screen.print(rows);
  }

  #printText(text: string, format?: Format): void {
    const rows = cleanText(text)
      .split("\n")
      .flatMap((line) => wrap(line, this.#screen.columns, "  "));
    this.#print(rows.map((row) => (format ? this.#paint(format, row) : row)));
  }

  #choosePrompt(): void {
    if (this.#isReadOnly) return;
    const [first] = this.#view.pending;
    if (first === this.#prompt?.request) return;
    if (first && !this.#prompt) this.#output.write("\u0007");
    const isWriting = this.#editor.text !== "";
    // Another client was faster: the draft is kept.
    if (this.#message.text === "") this.#message.text = this.#answer.text;
    this.#answer.text = "";
    this.#prompt = first && new RequestPrompt(first, isWriting);
  }

  #type(chunk: string): void {
    refreshSize(this.#output);
    clearTimeout(this.#loneEscape);
    for (const key of this.#keys.push(chunk)) this.#press(key);
    if (this.#keys.isWaiting) this.#loneEscape = setTimeout(() => this.#flushKeys(), SEQUENCE_MS);
    this.#drawFooter();
  }

  #flushKeys(): void {
    for (const key of this.#keys.flush()) this.#press(key);
    this.#drawFooter();
  }

  #press(key: Key): void {
    this.#hint = undefined;
    if (key.name === "interrupt") this.#interrupt();
    else if (key.name === "eof") {
      if (this.#editor.text === "") this.#leave();
    } else if (key.name === "redraw") this.#screen.clear();
    else if (key.name === "tab") this.#prompt?.toggle();
    else if (key.name === "escape") {
      if (this.#prompt?.stepBack()) this.#answer.text = "";
      else this.#stopTurn("Esc");
    } else {
      const pressed = this.#prompt?.press(key);
      if (pressed === "used" && this.#prompt?.draft) this.#answer.text = this.#prompt.draft;
      if (pressed === "used") return;
      if (pressed) this.#decide(pressed);
      else this.#write(key);
    }
  }

  #write(key: Key): void {
    const line = this.#editor.press(key);
    if (line === undefined) return;
    if (this.#prompt?.takesLine) {
      this.#answerWith(line, this.#prompt);
    } else if (line.trim() !== "") {
      this.#submit(line);
    }
  }

  #answerWith(line: string, prompt: RequestPrompt): void {
    try {
      const decision = prompt.enter(line);
      if (decision) this.#decide(decision);
      else if (prompt.draft !== "") this.#answer.text = line;
    } catch (thrown) {
      this.#complain(toWire(thrown));
    }
  }

  #submit(line: string): void {
    const own =
      this.#isReadOnly && !isForWatchers(line)
        ? sendToSleeper(line, this.#options.sleeper, this.#options.elsewhere)
        : ownCommand(line, this.#client, contextOf(this.#view, this.#search, true));
    void this.#report(own?.then((outcome) => this.#obey(outcome)) ?? this.#send(line), line);
  }

  async #send(line: string): Promise<void> {
    if (commandIn(line) !== undefined) {
      const { slash_commands: listed } = await this.#client.status();
      mustBeKnown(line, ownCommandNames, listed);
    }
    await this.#client.send(line);
  }

  async #obey(outcome: OwnOutcome): Promise<void> {
    if (outcome === "quit") this.#leave();
    if (outcome === "help") this.#printText(ownCommandsHelp);
    if (outcome === "sent") this.#hint = "sent, waiting for the agent to start";
    if (typeof outcome !== "object") return;
    if ("tell" in outcome) return this.#printText(outcome.tell);
    if ("edit" in outcome) {
      this.#message.text = [outcome.edit, this.#message.text].filter(Boolean).join("\n");
      return;
    }
    const output = this.#transcript.outputs.get(outcome.show);
    this.#printText(await wholeOutput(output, (blob) => this.#client.blob(blob)));
  }

  #decide(decision: RequestDecision): void {
    if (!this.#prompt) return;
    const { request } = this.#prompt;
    const what = `the answer to: ${headOf(request, this.#screen.columns)}`;
    void this.#report(this.#tell(request.request_id, decision), what);
  }

  #tell(id: string, decision: RequestDecision): Promise<void> {
    if (decision.type === "approve") return this.#client.approve(id, decision.options);
    if (decision.type === "deny") return this.#client.deny(id, decision.options);
    if (decision.type === "answer") return this.#client.answer(id, decision.answers);
    return this.#client.respond(id, decision.action, decision.content);
  }

  #interrupt(): void {
    if (this.#isReadOnly) return this.#leave();
    if (this.#editor.text !== "") {
      this.#editor.text = "";
      return;
    }
    if (this.#stopTurn("Ctrl-C")) return;
    const isSecond = performance.now() - this.#interruptedAt < LEAVE_MS;
    this.#interruptedAt = performance.now();
    if (isSecond) this.#leave();
    else this.#hint = `Ctrl-C again leaves${this.#hasClosed ? "" : "; the session goes on"}`;
  }

  /** Returns true when there was a turn to stop. */
  #stopTurn(key: string): boolean {
    if (this.#isReadOnly || this.#view.state.turn === undefined || !this.#isConnected) return false;
    void this.#report(this.#client.abort(), key);
    return true;
  }

  #leave(): void {
    void this.#client.close();
  }

  async #report(work: Promise<unknown>, text: string): Promise<void> {
    const refusal = await this.#unsent.until(work, text);
    if (refusal) this.#complain(refusal);
    this.#drawFooter();
  }

  #complain({ message, code, hint }: WireError): void {
    this.#printText(`error: ${message} (${code})`, "red");
    this.#printText(`  ${hint}`);
  }

  #drawFooter(): void {
    if (this.#hasEnded) return;
    const columns = Math.max(this.#screen.columns - 1, 1);
    const { init } = this.#client;
    const isConnected = this.#isConnected;
    const hasClosed = this.#hasClosed;
    const hint = this.#hint ?? (this.#options.isRecording ? "does not run" : undefined);
    const facts = { view: this.#view, init, isConnected, hasClosed, hint };
    const unsent = isConnected ? [] : this.#unsent.texts;
    const above = [
      "",
      ...unsent.map((text) => this.#paint("yellow", brief(`not sent yet: ${text}`, columns))),
      ...(this.#prompt?.rows(this.#paint, columns) ?? this.#watched(columns)),
      statusRow({ ...facts, now: Date.now() }, this.#paint),
    ].flatMap((row) => wrap(row, columns));
    const room = Math.max(this.#screen.rows - above.length, MIN_INPUT_ROWS);
    const input = inputRows(this.#editor, columns, room);
    this.#screen.setFooter({
      rows: [...above, ...input.rows],
      row: above.length + input.row,
      column: input.column,
    });
  }

  /** The request that another person has to answer. */
  #watched(columns: number): string[] {
    const isAsked = this.#isReadOnly && !this.#options.isRecording;
    const [first] = isAsked ? this.#view.pending : [];
    const { elsewhere } = this.#options;
    return first ? watchedRows(first, elsewhere, { paint: this.#paint, columns }) : [];
  }
}
