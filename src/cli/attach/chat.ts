import type { ReadStream, WriteStream } from "node:tty";
import type { Conversation, SessionClient, SessionItem } from "../../client/core.ts";
import { emptyConversation, fold } from "../../client/core.ts";
import type { WireError } from "../../wire/error-wire.ts";
import { toWire } from "../../wire/error-wire.ts";
import { brief, cleanText } from "./clean-text.ts";
import { ESC } from "./escape.ts";
import { recentPart } from "./history.ts";
import { inputRows } from "./input-rows.ts";
import type { Key } from "./keys.ts";
import { KeyReader } from "./keys.ts";
import { LineEditor } from "./line-editor.ts";
import type { OwnOutcome } from "./own-commands.ts";
import { ownCommand, ownCommandsHelp } from "./own-commands.ts";
import type { Format, Paint } from "./paint.ts";
import { paintFor } from "./paint.ts";
import { RequestPrompt } from "./request-prompt.ts";
import type { Decision } from "./requests.ts";
import { headOf } from "./requests.ts";
import { Screen } from "./screen.ts";
import { statusRow } from "./status-row.ts";
import { wrap } from "./text-width.ts";
import { Transcript } from "./transcript.ts";
import { Unsent } from "./unsent.ts";

const PASTE_ON = `${ESC}[?2004h`;
const PASTE_OFF = `${ESC}[?2004l`;
/** Ctrl-C twice within this time leaves. */
const LEAVE_MS = 2_000;
/** A transcript needs so much, however narrow the terminal is. */
const MIN_COLUMNS = 20;
/** Rows of the input that are shown, however much stands above them. */
const MIN_INPUT_ROWS = 3;

/** A terminal on which a person talks with a session. */
export class Chat {
  readonly #client: SessionClient;
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #historyTurns: number;
  readonly #paint: Paint;
  readonly #screen: Screen;
  readonly #message = new LineEditor();
  /** What a request is answered with, so that no message becomes a reason, and none is lost over one. */
  readonly #answer = new LineEditor();
  readonly #keys = new KeyReader();
  #transcript: Transcript;
  #view: Conversation = emptyConversation;
  #prompt: RequestPrompt | undefined;
  /** Old events, until all of them are there. */
  #old: SessionItem[] | undefined = [];
  #isConnected = true;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #hint: string | undefined;
  readonly #unsent = new Unsent();
  /** The event that ended the session's process. */
  #closedAt = 0;
  #hasEnded = false;

  constructor(
    client: SessionClient,
    terminal: { readonly input: ReadStream; readonly output: WriteStream },
    historyTurns: number,
  ) {
    this.#client = client;
    this.#input = terminal.input;
    this.#output = terminal.output;
    this.#historyTurns = historyTurns;
    this.#paint = paintFor(terminal.output);
    this.#screen = new Screen(terminal.output);
    this.#transcript = this.#newTranscript();
  }

  /** Resolves when the person has left or the session has ended. @throws when the connection was given up. */
  async run(): Promise<void> {
    const onData = (chunk: string): void => this.#type(chunk);
    const onResize = (): void => this.#drawFooter();
    const onSignal = (): void => this.#leave();
    const clock = setInterval(() => this.#drawFooter(), 1_000);
    this.#input.setEncoding("utf8").setRawMode(true).on("data", onData);
    this.#output.on("resize", onResize).write(PASTE_ON);
    process.once("SIGTERM", onSignal).once("SIGHUP", onSignal);
    this.#greet();
    try {
      for await (const item of this.#client.events()) this.#take(item);
    } finally {
      this.#hasEnded = true;
      clearInterval(clock);
      process.off("SIGTERM", onSignal).off("SIGHUP", onSignal);
      for (const text of this.#unsent.texts) {
        this.#printText(`Not sent, as far as is known: ${text}`, "yellow");
      }
      this.#screen.end();
      this.#output.off("resize", onResize).write(PASTE_OFF);
      this.#input.off("data", onData).setRawMode(false).pause();
    }
  }

  connectionChanged(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#drawFooter();
  }

  #newTranscript(): Transcript {
    const columns = (): number => Math.max(this.#screen.columns, MIN_COLUMNS);
    return new Transcript(this.#paint, columns, this.#client.init.rehearsal);
  }

  get #editor(): LineEditor {
    return this.#prompt?.takesLine ? this.#answer : this.#message;
  }

  #greet(): void {
    const { session_id, cwd, last_seq } = this.#client.init;
    this.#printText(`Session ${session_id} in ${cwd}. /help lists the commands.`, "dim");
    if (last_seq === 0) this.#old = undefined;
    this.#drawFooter();
  }

  #take(item: SessionItem): void {
    if (this.#old) {
      this.#old.push(item);
      if (item.type === "reset" || item.seq < this.#client.init.last_seq) return;
      const { skipped, part } = recentPart(this.#old, this.#historyTurns);
      this.#view = fold(this.#view, skipped);
      if (skipped.length > 0) this.#print([this.#paint("dim", "… earlier messages (--history)")]);
      this.#old = undefined;
      for (const each of part) this.#show(each);
    } else {
      this.#show(item);
    }
    this.#choosePrompt();
    this.#drawFooter();
  }

  #show(item: SessionItem): void {
    this.#view = fold(this.#view, [item]);
    if (item.type === "closing") this.#closedAt = item.seq;
    if (item.type === "reset") {
      this.#transcript = this.#newTranscript();
      this.#print([this.#paint("dim", "— from here on anew —")]);
    } else if (this.#view.snapshot !== "skipping") {
      const { finished, growing } = this.#transcript.take(item);
      this.#screen.show(finished, growing);
    }
  }

  #print(rows: readonly string[]): void {
    this.#screen.show(rows, []);
  }

  #printText(text: string, format?: Format): void {
    const rows = cleanText(text)
      .split("\n")
      .flatMap((line) => wrap(line, this.#screen.columns, "  "));
    this.#print(rows.map((row) => (format ? this.#paint(format, row) : row)));
  }

  #choosePrompt(): void {
    const [first] = this.#view.pending;
    if (first === this.#prompt?.request) return;
    if (first && !this.#prompt) this.#output.write("\u0007");
    const isWriting = this.#editor.text !== "";
    // Somebody else was faster: what was being written is not thrown away.
    if (this.#message.text === "") this.#message.text = this.#answer.text;
    this.#answer.text = "";
    this.#prompt = first && new RequestPrompt(first, isWriting);
  }

  #type(chunk: string): void {
    for (const key of this.#keys.push(chunk)) this.#press(key);
    this.#drawFooter();
  }

  #press(key: Key): void {
    this.#hint = undefined;
    if (key.name === "interrupt") this.#interrupt();
    else if (key.name === "eof") {
      if (this.#editor.text === "") this.#leave();
    } else if (key.name === "redraw") this.#screen.clear();
    else if (key.name === "escape" || key.name === "tab") {
      if (this.#prompt?.stepBack()) this.#answer.text = "";
      else this.#prompt?.toggle();
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
    const own = ownCommand(line, this.#client, this.#view.pending);
    void this.#report(own ?? this.#client.send(line), line);
    own?.then((outcome) => this.#obey(outcome)).catch(() => {});
  }

  #obey(outcome: OwnOutcome): void {
    if (outcome === "quit") this.#leave();
    if (outcome === "help") this.#printText(ownCommandsHelp);
  }

  #decide(decision: Decision): void {
    if (!this.#prompt) return;
    const { request } = this.#prompt;
    const what = `the answer to: ${headOf(request, this.#screen.columns)}`;
    void this.#report(this.#tell(request.request_id, decision), what);
  }

  #tell(id: string, decision: Decision): Promise<void> {
    if (decision.type === "approve") return this.#client.approve(id, decision.options);
    if (decision.type === "deny") return this.#client.deny(id, decision.options);
    return this.#client.answer(id, decision.answers);
  }

  #interrupt(): void {
    if (this.#editor.text !== "") {
      this.#editor.text = "";
      return;
    }
    if (this.#view.openTurn !== undefined && this.#isConnected) {
      void this.#report(this.#client.abort(), "Ctrl-C");
      return;
    }
    const isSecond = performance.now() - this.#interruptedAt < LEAVE_MS;
    this.#interruptedAt = performance.now();
    if (isSecond) this.#leave();
    else this.#hint = "Ctrl-C again leaves; the session goes on";
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
    const hasClosed = this.#closedAt > init.last_seq;
    const facts = { view: this.#view, init, isConnected, hasClosed, hint: this.#hint };
    const unsent = isConnected ? [] : this.#unsent.texts;
    const above = [
      "",
      ...unsent.map((text) => this.#paint("yellow", brief(`not sent yet: ${text}`, columns))),
      ...(this.#prompt?.rows(this.#paint, columns) ?? []),
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
}
