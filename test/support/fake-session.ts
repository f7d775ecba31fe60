import { join } from "node:path";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { channel } from "../../src/net/channel.ts";
import { jsonLines } from "../../src/net/codec.ts";
import type { Listener } from "../../src/net/listen.ts";
import { listen } from "../../src/net/listen.ts";
import { parseCommand } from "../../src/wire/session/commands.ts";
import type { SessionCommand } from "../../src/wire/session/commands.ts";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { tempDir } from "./temp-dir.ts";
import { Trail } from "./trail.ts";

type Draft = SessionEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, "seq" | "at">
    : never
  : never;

const at = "2026-01-01T00:00:00.000Z";

/**
 * The other end of a client: keeps the rules of `init` and `attach`, and leaves everything else to the
 * test. Commands are on its trail.
 */
export class FakeSession extends Trail<SessionCommand> {
  readonly path: string;
  readonly log: SessionEvent[] = [];
  logId = "log-1";
  epoch = 1;
  /** Events up to this one are gone from the log. */
  forgotten = 0;
  protocol = 1;
  /** Whether its clients may only watch. */
  readOnly = false;
  /** The commands that it knows; a session learns of them when its CLI has started. */
  slashCommands: { name: string }[] | undefined;
  /** What else `init` says: its model, its mode. */
  settings: { model?: string; mode?: string } = {};
  /** It tells its status as in `init`; else that is a command like any other. */
  answersStatus = true;
  /** What `init` says that it will go on with by itself. */
  continuation: { due: string; messages: string[]; id: string } | undefined;
  /** What `init` says that waits for a person. */
  pending: SessionEvent[] = [];
  /** What becomes of a command; without it everything with a `ref` is `ok`. */
  onCommand: (command: SessionCommand, client: FakeClient) => void = (command, client) =>
    client.answer(command, "ok");
  readonly clients = new Set<FakeClient>();
  /** A client that attaches has to wait for it. */
  held: Promise<void> = Promise.resolve();
  #listener: Listener | undefined;

  constructor(path: string = join(tempDir(), "s.sock")) {
    super();
    this.path = path;
  }

  async start(): Promise<this> {
    this.#listener = await listen({
      path: this.path,
      onConnection: (socket) => void this.#serve(socket),
    });
    onTestFinished(() => this.stop());
    return this;
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.drop();
    await this.#listener?.close();
  }

  get lastSeq(): number {
    return this.log.at(-1)?.seq ?? this.forgotten;
  }

  /** Logs an event and tells those who are attached. */
  happen(draft: Draft): SessionEvent {
    const event = { ...draft, seq: this.lastSeq + 1, at } as SessionEvent;
    this.log.push(event);
    for (const client of this.clients) if (client.live) client.say(event);
    return event;
  }

  get init(): Record<string, unknown> {
    return {
      type: "init",
      protocol: this.protocol,
      version: "0",
      read_only: this.readOnly,
      rehearsal: true,
      session_id: "s",
      ...this.place,
      state: "idle",
      pending: this.pending,
      queued: [],
      cwd: "/",
      mode: "default",
      ...this.settings,
      ...(this.continuation && { continuation: this.continuation }),
      ...(this.slashCommands && { slash_commands: this.slashCommands }),
    };
  }

  get place(): { log_id: string; epoch: number; last_seq: number } {
    return { log_id: this.logId, epoch: this.epoch, last_seq: this.lastSeq };
  }

  async #serve(socket: Socket): Promise<void> {
    const lines = channel(socket, jsonLines);
    const client = new FakeClient(socket, (line) => void lines.send(line).catch(() => {}));
    this.clients.add(client);
    client.say(this.init);
    // To be ignored, as whatever comes before `attached`.
    for (const event of this.log.slice(-1)) client.say(event);
    for await (const parsed of lines) {
      const command = parsed.ok ? parseCommand(parsed.value) : parsed;
      if (!command.ok) continue;
      this.add(command.value);
      if (command.value.type === "attach") {
        await this.held;
        this.#attach(command.value, client);
      } else if (command.value.type === "status" && this.answersStatus) {
        client.answer(command.value, "status", { ...this.init, type: "status" });
      } else this.onCommand(command.value, client);
    }
    this.clients.delete(client);
    await lines.close();
  }

  #attach(command: SessionCommand & { type: "attach" }, client: FakeClient): void {
    const { since, log_id = this.logId } = command;
    const reset = log_id !== this.logId || since < this.forgotten || since > this.lastSeq;
    const start = reset ? this.forgotten : since;
    client.name = command.client;
    client.say({
      type: "attached",
      ref: command.ref,
      ...this.place,
      since: start,
      reset,
      client: command.client,
    });
    for (const event of this.log) if (event.seq > start) client.say(event);
    client.live = true;
  }
}

export class FakeClient {
  live = false;
  /** As it said when it attached. */
  name: string | undefined;
  readonly say: (line: unknown) => void;
  readonly #socket: Socket;

  constructor(socket: Socket, say: (line: unknown) => void) {
    this.#socket = socket;
    this.say = say;
  }

  answer(command: SessionCommand, type: string, fields: object = {}): void {
    if (command.ref !== undefined) this.say({ type, ref: command.ref, ...fields });
  }

  drop(): void {
    this.#socket.destroy();
  }
}
