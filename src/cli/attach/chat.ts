import type { ReadStream, WriteStream } from "node:tty";
import type { Conversation, SessionClient, SessionItem } from "../../client/core.ts";
import { emptyConversation, fold } from "../../client/core.ts";
import { toWire } from "../../wire/error-wire.ts";
import { ESC } from "./escape.ts";
import { recentPart } from "./history.ts";
import type { Key } from "./keys.ts";
import { KeyReader } from "./keys.ts";
import { LineEditor } from "./line-editor.ts";
import type { OwnOutcome } from "./own-commands.ts";
import { ownCommand, ownCommandsHelp } from "./own-commands.ts";
import type { Paint } from "./paint.ts";
import { paintFor } from "./paint.ts";
import { RequestPrompt } from "./request-prompt.ts";
import type { Decision } from "./requests.ts";
import { firstShown, Screen } from "./screen.ts";
import { statusRow } from "./status-row.ts";
import { lettersOf, textWidth, wrap } from "./text-width.ts";
import { Transcript } from "./transcript.ts";

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
  readonly #editor = new LineEditor();
  readonly #keys = new KeyReader();
  #transcript: Transcript;
  #view: Conversation = emptyConversation;
  #prompt: RequestPrompt | undefined;
  /** Old events, until all of them are there. */
  #old: SessionItem[] | undefined = [];
  #isConnected = true;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #hint: string | undefined;
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

  #greet(): void {
    const { session_id, cwd, last_seq } = this.#client.init;
    const greeting = `Session ${session_id} in ${cwd}. /help lists the commands.`;
    this.#print(wrap(greeting, this.#screen.columns).map((row) => this.#paint("dim", row)));
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

  #choosePrompt(): void {
    const [first] = this.#view.pending;
    if (first === this.#prompt?.request) return;
    if (first && !this.#prompt) this.#output.write("\u0007");
    this.#prompt = first && new RequestPrompt(first, this.#editor.text !== "");
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
      if (this.#prompt?.stepBack()) this.#editor.text = "";
      else this.#prompt?.toggle();
    } else {
      const pressed = this.#prompt?.press(key);
      if (pressed === "used" && this.#prompt?.draft) this.#editor.text = this.#prompt.draft;
      if (pressed === "used") return;
      if (pressed) this.#decide(pressed);
      else this.#write(key);
    }
  }

  #write(key: Key): void {
    const line = this.#editor.press(key);
    if (line === undefined) return;
    if (this.#prompt?.takesLine) {
      const decision = this.#prompt.enter(line);
      if (decision) this.#decide(decision);
    } else if (line.trim() !== "") {
      this.#submit(line);
    }
  }

  #submit(line: string): void {
    const own = ownCommand(line, this.#client, this.#view.pending);
    this.#report(own ? this.#obey(own) : this.#client.send(line));
  }

  async #obey(own: Promise<OwnOutcome>): Promise<void> {
    const outcome = await own;
    if (outcome === "quit") this.#leave();
    if (outcome === "help") this.#print(ownCommandsHelp.split("\n"));
  }

  #decide(decision: Decision): void {
    const id = this.#prompt?.request.request_id ?? "";
    if (decision.type === "approve") this.#report(this.#client.approve(id, decision.options));
    else if (decision.type === "deny") this.#report(this.#client.deny(id, decision.options));
    else this.#report(this.#client.answer(id, decision.answers));
  }

  #interrupt(): void {
    if (this.#editor.text !== "") {
      this.#editor.text = "";
      return;
    }
    if (this.#view.openTurn !== undefined) {
      this.#report(this.#client.abort());
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

  #report(work: Promise<unknown>): void {
    work.catch((thrown: unknown) => {
      const { code, message, hint } = toWire(thrown);
      if (code === "connection_lost") return;
      this.#print([this.#paint("red", `error: ${message} (${code})`), `  ${hint}`]);
    });
  }

  #drawFooter(): void {
    if (this.#hasEnded) return;
    const columns = Math.max(this.#screen.columns - 1, 1);
    const { init } = this.#client;
    const facts = { view: this.#view, init, isConnected: this.#isConnected, hint: this.#hint };
    const above = [
      "",
      ...(this.#prompt?.rows(this.#paint, columns) ?? []),
      statusRow({ ...facts, now: Date.now() }, this.#paint),
    ].flatMap((row) => wrap(row, columns));
    const written = inputRows(this.#editor.text, columns);
    const cursor = inputRows(this.#editor.textBeforeCursor, columns);
    const room = Math.max(this.#screen.rows - above.length, MIN_INPUT_ROWS);
    const first = firstShown(written.length, cursor.length - 1, room);
    this.#screen.setFooter({
      rows: [...above, ...written.slice(first, first + room)],
      row: above.length + cursor.length - 1 - first,
      column: textWidth(cursor.at(-1) ?? ""),
    });
  }
}

/** Breaks at the column alone, so that the part before the cursor breaks as the whole does. */
function inputRows(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line, index) => {
    const mark = index === 0 ? "› " : "  ";
    const rows = [mark];
    for (const character of lettersOf(line)) {
      const row = (rows.at(-1) ?? "") + character;
      if (textWidth(row) > columns) rows.push(`  ${character}`);
      else rows[rows.length - 1] = row;
    }
    return rows;
  });
}
