import type { Engine } from "../../engine/index.ts";
import { knownVersion, learnVersion } from "../../engine/cli.ts";
import { configDirOf } from "../../engine/recovery/index.ts";
import type { StoredText } from "../../wire/blob.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { fromWire, toWire } from "../../wire/error-wire.ts";
import type { DropOutcome } from "../../wire/session/answers.ts";
import type { SessionCommand } from "../../wire/session/commands.ts";
import type { EventLog } from "../log/event-log.ts";
import { Approvals } from "./approvals/approvals.ts";
import { CliLife } from "./cli-life.ts";
import { SessionQuestions } from "./approvals/session-questions.ts";
import { ModeAndModel } from "./mode-and-model.ts";
import { CostMeter } from "./cost-meter.ts";
import { dropMessage } from "./drop-message.ts";
import { EngineFeed } from "./engine-feed.ts";
import { ForeignWriter } from "./foreign-writer.ts";
import { Inbox } from "./inbox.ts";
import { Launcher } from "./launcher.ts";
import { LiveOutput } from "./live-output.ts";
import { LostConversation } from "./lost-conversation/lost-conversation.ts";
import { McpWatch } from "./mcp-watch.ts";
import type { SessionContext } from "./session-context.ts";
import { sessionIdOf } from "./session-context.ts";
import { Recorder } from "./recorder.ts";
import { untestedCli } from "./untested-cli.ts";
import type { SessionEnd, Session, SessionOptions, StatusFields } from "./session-types.ts";
import { recordEarlierMessages } from "./record-earlier-messages.ts";
import { systemClock } from "../../time/clock.ts";
import { statusOf } from "./status-of.ts";
import { settlesWithin } from "../../time/deadline.ts";
import { TranscriptWatch } from "./transcript-watch.ts";
import { lostWithCli } from "./translate/cli-gone.ts";
import { Turns } from "./turns.ts";

/** How long a turn may take to end after an abort; then the CLI is ended. */
const ABORT_MS = 5_000;
/** How long a turn may take to end after an interrupt; then the interrupt is repeated. */
const CUT_AGAIN_MS = 500;
/** A cut turn is resumed as soon as the CLI is up. After this time we stop waiting for that. */
const RESUME_MS = 60_000;

export class LiveSession implements Session {
  readonly log: EventLog;
  readonly #parts: SessionContext;
  readonly #feed: EngineFeed;
  readonly #launcher: Launcher;
  readonly #life: CliLife;
  readonly #mcp: McpWatch;
  readonly #output: LiveOutput;
  readonly #foreign: ForeignWriter;
  readonly #lost: LostConversation;
  readonly #questions: SessionQuestions;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  readonly closed: Promise<SessionEnd> = this.#ended.promise;
  #closing: Promise<void> | undefined;
  #slashCommands: StatusFields["slash_commands"];
  /** Cancels the wait for a cut turn to be resumed. */
  #cancelPatience: (() => void) | undefined;

  /** See `startSession`. */
  static async start(options: SessionOptions): Promise<LiveSession> {
    const session = new LiveSession(options);
    await session.#begin();
    return session;
  }

  private constructor(options: SessionOptions) {
    const { log, timers = systemClock, defaultMode = "default" } = options;
    this.log = log;
    this.#life = new CliLife(
      {
        prepare: () => this.#lost.look(),
        launch: () => this.#launch(),
        onLost: (error, retryMs) => this.#guard(() => this.#cliLost(error.message, retryMs)),
        onGivenUp: (error) => this.#fail(error),
      },
      timers,
    );
    const recorder = new Recorder(log);
    const inbox = new Inbox(recorder, timers);
    const turns = new Turns(recorder, inbox);
    const approvals = new Approvals(recorder, turns, timers, options);
    const modeAndModel = new ModeAndModel(recorder, this.#life, defaultMode);
    const watch = new TranscriptWatch(configDirOf(options.env), timers, (rows) => {
      this.#guard(() => {
        for (const row of rows) inbox.markRow(row);
        this.#foreign.take(rows);
      });
    });
    this.#foreign = new ForeignWriter(recorder, inbox);
    const cost = new CostMeter();
    this.#parts = {
      options,
      log,
      timers,
      recorder,
      inbox,
      turns,
      approvals,
      modeAndModel,
      watch,
      cost,
    };
    this.#lost = new LostConversation(this.#parts, (text) => this.#loadText(text));
    this.#questions = new SessionQuestions([this.#foreign, this.#lost], this.#life, this.#parts);
    this.#feed = new EngineFeed(this.#parts);
    this.#mcp = new McpWatch(recorder, timers, options.toolsOf, (name) => {
      const server = options.mcpServers?.[name];
      return server && "command" in server ? server.command : undefined;
    });
    const guarded = {
      after: (ms: number, run: () => void) => timers.after(ms, () => this.#guard(run)),
    };
    this.#output = new LiveOutput(recorder, guarded);
    this.#launcher = new Launcher(this.#parts, this.#lost, (event, engine) =>
      this.#guard(() => {
        if (event.type === "debug") options.onDebug?.(event);
        if (event.type === "mcp_status") this.#mcp.look(engine).catch(() => {});
        this.#output.take(event, engine);
        if (event.type === "turn_ended") this.#askContextWindow(engine).catch(() => {});
        if (event.type !== "closed") this.#feed.take(event);
        else if (event.error) this.#life.lost(engine, event.error);
      }),
    );
  }

  get cliVersion(): string | undefined {
    const { claudePath } = this.#parts.options;
    return this.#feed.cliVersion ?? (knownVersion(claudePath) || undefined);
  }

  status(): StatusFields {
    const { options, inbox, modeAndModel } = this.#parts;
    return {
      session_id: sessionIdOf(this.#parts),
      ...statusOf(this.log),
      queued: inbox.waiting(),
      cwd: options.cwd,
      mode: modeAndModel.mode,
      ...(this.#slashCommands && { slash_commands: this.#slashCommands }),
    };
  }

  async handle(command: SessionCommand, by: string | undefined): Promise<DropOutcome | void> {
    if (this.#closing) throw errorOf("cli_exited", "The session is closing.");
    const { inbox, approvals, modeAndModel } = this.#parts;
    switch (command.type) {
      case "message":
        // Foreign messages must be known before this message is passed on.
        this.#guard(() => this.#parts.watch.look());
        await inbox.accept(command, by).finally(() => this.#awaitSight());
        if (command.priority === "now" && !command.quiet) void this.#cutShort();
        return;
      case "approve":
      case "deny":
      case "answer":
        if (await this.#questions.take(command, by)) return;
        return approvals.answer(command, by);
      case "drop":
        return dropMessage({ id: command.id, by, engine: this.#life.engine }, this.#parts);
      case "hold":
        return approvals.hold(command.request_id, command.ms, by);
      case "abort":
        return this.#abort(command.queue === "drop");
      case "set_mode":
        return modeAndModel.setMode(command.mode, by);
      case "set_model":
        return modeAndModel.setModel(command.model, by);
      case "set_thinking":
        return modeAndModel.setThinking(command.effort, by);
      default:
        throw errorOf("invalid_request", `${command.type} is not a command of the session.`);
    }
  }

  close(reason: Exclude<SessionEnd["reason"], "failed">): Promise<void> {
    return (this.#closing ??= this.#end({ reason }));
  }

  async #begin(): Promise<void> {
    const { options, inbox, recorder, modeAndModel, watch } = this.#parts;
    const { state } = this.log;
    await inbox.restore((text) => this.#loadText(text));
    // Learnt in advance, so that the next CLI starts at once when this one dies.
    await learnVersion(options.claudePath);
    if (state.sessionId === undefined) {
      const { sessionId: session_id, origin } = options;
      const copied = origin?.fork === true && { forked_from: origin.resume };
      recorder.record({ type: "session_changed", session_id, ...copied });
      recordEarlierMessages(this.#parts);
    } else {
      // Before clients learn where the session continues.
      await this.#lost.look();
      recorder.record({
        type: "notice",
        code: "host_restarted",
        message: `The session's process was restarted${this.#lost.isIncomplete ? "" : " and continues where it was"}.`,
      });
    }
    const untested = untestedCli(knownVersion(options.claudePath));
    for (const notice of [...(options.notices ?? []), ...untested]) {
      recorder.record({ type: "notice", ...notice });
    }
    modeAndModel.prefer(options);
    watch.follow(sessionIdOf(this.#parts));
    // Before a CLI is given anything: another program may have written while no CLI of ours ran.
    watch.look();
    this.#life.start();
  }

  async #loadText(text: StoredText): Promise<string> {
    if (typeof text === "string") return text;
    const { data } = await this.log.readBlob(text.blob, 0);
    return Buffer.from(data).toString("utf8");
  }

  #launch(): Engine {
    this.#feed.reset();
    this.#output.reset();
    // Also after a CLI was replaced or its host died.
    this.#forgetCli();
    const { engine, takesMessages } = this.#launcher.launch();
    void takesMessages.then(() => this.#guard(() => this.#openInbox(engine)));
    this.#settleIn(engine).catch(() => {
      // The CLI is gone; `closed` says why.
    });
    return engine;
  }

  #openInbox(engine: Engine): void {
    if (engine !== this.#life.engine) return;
    this.#parts.inbox.open((message) => {
      if (engine.open) engine.push(message);
    });
    this.#awaitSight();
  }

  #awaitSight(): void {
    const { watch, inbox } = this.#parts;
    this.#guard(() => watch.lookUntil(() => !inbox.awaitsSight));
  }

  /** Asks a CLI that is up for what we need to know of it. */
  async #settleIn(engine: Engine): Promise<void> {
    const { turns, timers } = this.#parts;
    await engine.ready();
    if (engine.pid !== undefined) this.#parts.options.onCliReady?.(engine.pid);
    // Before the first turn, because a client may want to wait for its tools.
    this.#mcp.look(engine).catch(() => {});
    if (turns.awaitsResumption && !this.#closing) {
      this.#cancelPatience?.();
      this.#cancelPatience = timers.after(RESUME_MS, () => this.#giveUpResumption(engine));
    }
    this.#slashCommands = await engine.slashCommands();
  }

  /** This costs the CLI more than all other requests, so not while a client waits for a first answer. */
  async #askContextWindow(engine: Engine): Promise<void> {
    if (this.#feed.knowsContextWindow) return;
    const { window } = await engine.contextUsage();
    this.#guard(() => this.#feed.contextWindowIs(window));
  }

  #giveUpResumption(engine: Engine): void {
    const { turns, inbox } = this.#parts;
    if (engine !== this.#life.engine || !turns.awaitsResumption) return;
    this.#guard(() => turns.endAsLost({ stopReason: "cli_lost", messages: inbox.inTranscript() }));
  }

  #forgetCli(): void {
    for (const draft of lostWithCli(this.log.state)) this.#parts.recorder.record(draft);
  }

  #cliLost(why: string, retryMs: number): void {
    const { inbox, approvals, turns, recorder } = this.#parts;
    inbox.shut();
    approvals.cliGone();
    turns.forgetResumption();
    this.#forgetCli();
    const when = retryMs === 0 ? "now" : `in ${retryMs / 1000} s`;
    recorder.record({
      type: "notice",
      code: "cli_restarted",
      message: `${why}. It will be restarted ${when}.`,
      data: { retry_ms: retryMs },
    });
  }

  /** A CLI that runs a tool needs an interrupt. It misses one that comes just as the tool starts, so we repeat it. */
  async #cutShort(): Promise<void> {
    const { log, turns, timers } = this.#parts;
    const { engine } = this.#life;
    const turn = log.state.turn?.turnId;
    const awaitsCall = (): boolean =>
      log.state.turn?.turnId === turn &&
      [...log.state.calls.values()].some(({ parent }) => parent === undefined);
    if (!engine || turn === undefined || turns.awaitsResumption || !awaitsCall()) return;
    turns.endsAs("interrupted");
    try {
      while (awaitsCall() && this.#life.engine === engine) {
        await engine.interrupt();
        const over = Promise.race([turns.ended(), engine.closed]);
        await settlesWithin(over, CUT_AGAIN_MS, timers);
      }
    } catch {
      // A CLI that cannot be reached is lost, or reads the message after its tool.
    }
  }

  async #abort(drop: boolean): Promise<void> {
    const { inbox, approvals, turns, recorder, watch } = this.#parts;
    const engine = this.#life.engine;
    this.#guard(() => watch.look());
    if (turns.isOpen) turns.endsAs(undefined);
    // From here on the set of dropped messages is fixed: messages that arrive while we wait for the CLI are not in
    // it.
    if (drop) inbox.renounce();
    // A CLI that is about to resume a cut turn would resume it despite the interrupt.
    const obeys = engine && !turns.awaitsResumption && (await this.#interrupt(engine, drop));
    if (!obeys) {
      inbox.shut();
      approvals.cliGone();
      const end = (): void => this.#guard(() => this.#endWithoutCli());
      if (this.#life.engine) await this.#life.replace("kill", end);
      else end();
    }
    await recorder.durable();
  }

  /** Returns false when the CLI did not obey in time, or died. */
  async #interrupt(engine: Engine, dropQueued: boolean): Promise<boolean> {
    const { timers, turns, inbox } = this.#parts;
    let obeyed = false;
    const interrupted = engine
      .interrupt({ dropQueued })
      .then(() => turns.ended())
      .then(() => (obeyed = true));
    await settlesWithin(Promise.race([interrupted, engine.closed]), ABORT_MS, timers);
    // When there is nothing to stop, a CLI that is slow to start need not be ended.
    return obeyed || !(turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted);
  }

  /** Call this after the CLI is gone: only then is it known which messages it wrote down. */
  #endWithoutCli(): void {
    const { watch, inbox } = this.#parts;
    watch.look();
    inbox.dropUnwanted();
    this.#endAborted();
  }

  /** Ends the turn in the log, whatever the CLI does. */
  #endAborted(): void {
    const { approvals, turns, inbox } = this.#parts;
    approvals.abortAll();
    if (turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted) {
      turns.end({ stopReason: "aborted", messages: inbox.inTranscript() });
    }
  }

  /** No error here may end the process: a session that cannot continue reports it and closes. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#fail(thrown instanceof ClaudeCodeError ? thrown : fromWire(toWire(thrown)));
    }
  }

  #fail(error: ClaudeCodeError): void {
    this.#closing ??= this.#end({ reason: "failed", error });
  }

  async #end(ended: SessionEnd): Promise<void> {
    const { watch, recorder } = this.#parts;
    await this.#life.stop();
    this.#cancelPatience?.();
    this.#output.reset();
    watch.look();
    watch.close();
    try {
      this.#endAborted();
      if (ended.error) recorder.record({ type: "error", ...toWire(ended.error) });
      recorder.record({
        type: "closing",
        reason: ended.reason,
        ...(ended.error && { message: ended.error.message }),
      });
    } catch {
      // The log is closed; listeners learn the reason from `closed`.
    }
    await this.log.close().catch(() => {});
    this.#ended.resolve(ended);
  }
}
