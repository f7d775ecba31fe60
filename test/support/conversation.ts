import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EventLog, LogOptions } from "../../src/session/log/event-log.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import type { Session, SessionOptions } from "../../src/session/core/session.ts";
import { startSession } from "../../src/session/core/session.ts";
import { systemClock } from "../../src/time/clock.ts";
import type { SessionCommandInput } from "../../src/wire/session/commands.ts";
import { parseCommand } from "../../src/wire/session/commands.ts";
import type { SessionEvent, SessionEventOf } from "../../src/wire/session/events.ts";
import { parseEvent } from "../../src/wire/session/events.ts";
import { CountedTimers } from "./counted-timers.ts";
import type { Stage } from "./rehearsed.ts";
import { Trail } from "./trail.ts";

type Options = Partial<SessionOptions> & { logOptions?: LogOptions; logName?: string };

/** A session on a stage, and everything that its log told. */
export class Conversation extends Trail<SessionEvent> {
  readonly session: Session;
  readonly log: EventLog;

  private constructor(session: Session, timers: CountedTimers) {
    super();
    this.session = session;
    this.log = session.log;
    onTestFinished(async () => {
      await session.close("shutdown");
      await timers.expectNone();
    });
  }

  /** On the stage's own log, or on another one: a second start goes on with what the first has left. */
  static async start(stage: Stage, options: Options = {}): Promise<Conversation> {
    const { logOptions, logName = "session-log", ...more } = options;
    const log = openLog(join(stage.configDir, logName), logOptions);
    const early: SessionEvent[] = [];
    let take = (event: SessionEvent): void => void early.push(event);
    log.subscribe(({ bytes }) => {
      for (const line of Buffer.from(bytes).toString("utf8").split("\n").filter(Boolean)) {
        const checked = parseEvent(JSON.parse(line));
        if (!checked.ok) throw checked.error;
        take(checked.value);
      }
    });
    const timers = new CountedTimers(more.timers ?? systemClock);
    const session = await startSession({
      log,
      cwd: stage.cwd,
      sessionId: randomUUID(),
      settingSources: [],
      ...more,
      timers,
      env: { ...stage.env, ...more.env },
    });
    const conversation = new Conversation(session, timers);
    for (const event of early) conversation.add(event);
    take = (event) => conversation.add(event);
    return conversation;
  }

  async send(command: SessionCommandInput, by?: string): Promise<void> {
    const checked = parseCommand(command);
    if (!checked.ok) throw checked.error;
    await this.session.handle(checked.value, by);
  }

  async say(
    text: string,
    more: Partial<Extract<SessionCommandInput, { type: "message" }>> = {},
  ): Promise<string> {
    const id = more.id ?? randomUUID();
    await this.send({ type: "message", text, ...more, id });
    return id;
  }

  /** Says it, and waits for the end of the turn that answers it. */
  async ask(text: string, more: { priority?: "now" | "next" | "later" } = {}) {
    return this.endOf(await this.say(text, more));
  }

  endOf(id: string, withinMs = 60_000): Promise<SessionEventOf<"done">> {
    return this.until("done", { fits: ({ messages }) => messages.includes(id), withinMs });
  }

  all<T extends SessionEvent["type"]>(type: T, since = 0): SessionEventOf<T>[] {
    return this.told
      .slice(since)
      .filter((event): event is SessionEventOf<T> => event.type === type);
  }

  /** Of the notices, but for one: these tests run on any CLI, also on one that is not listed as proven. */
  noticeCodes(): string[] {
    return this.all("notice").flatMap(({ code }) => (code === "cli_untested" ? [] : [code]));
  }

  /** The text of a turn, as its deltas make it. */
  textOf(turnId: string | undefined): string {
    return this.all("text_delta")
      .filter((event) => event.turn_id === turnId && event.parent === undefined)
      .map(({ text }) => text)
      .join("");
  }
}
