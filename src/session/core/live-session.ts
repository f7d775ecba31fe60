import type { Engine } from "../../engine/engine.ts";
import { learnVersion } from "../../engine/recovery/cli-version.ts";
import { configDirOf } from "../../engine/recovery/recover.ts";
import type { StoredText } from "../../wire/blob.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { fromWire, toWire } from "../../wire/error-wire.ts";
import type { SessionCommand } from "../../wire/session-commands.ts";
import type { EventLog } from "../log/event-log.ts";
import { pendingOf } from "../state/pending.ts";
import { Approvals } from "./approvals.ts";
import { CliLife } from "./cli-life.ts";
import { Control } from "./control.ts";
import { CostMeter } from "./cost-meter.ts";
import { EngineFeed } from "./engine-feed.ts";
import { ForeignWriter } from "./foreign-writer.ts";
import { Inbox } from "./inbox.ts";
import { Launcher } from "./launcher.ts";
import { LiveOutput } from "./live-output.ts";
import { McpWatch } from "./mcp-watch.ts";
import type { Parts } from "./parts.ts";
import { sessionIdOf } from "./parts.ts";
import { Recorder } from "./recorder.ts";
import type { Ended, Session, SessionOptions, StatusFields } from "./session-types.ts";
import { settlesWithin, realTimers } from "./timers.ts";
import { TranscriptWatch } from "./transcript-watch.ts";
import { lostWithCli } from "./translate/cli-gone.ts";
import { Turns } from "./turns.ts";

/** How long a turn may take to end after it was told to; then the CLI is ended. */
const ABORT_MS = 5_000;
/** How long a turn may take to end after it was cut short, before that is tried again. */
const CUT_AGAIN_MS = 500;
/** A cut turn is taken up as soon as the CLI is up; if it is not, nobody shall wait for it for ever. */
const RESUME_MS = 60_000;

export class LiveSession implements Session {
  readonly log: EventLog;
  readonly #parts: Parts;
  readonly #feed: EngineFeed;
  readonly #launcher: Launcher;
  readonly #life: CliLife;
  readonly #mcp: McpWatch;
  readonly #output: LiveOutput;
  readonly #foreign: ForeignWriter;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly closed: Promise<Ended> = this.#ended.promise;
  #closing: Promise<void> | undefined;
  /** While somebody's answer about foreign words is being carried out. */
  #goingOn: Promise<void> | undefined;
  #slashCommands: StatusFields["slash_commands"];
  /** Calls off the wait for a cut turn to be taken up. */
  #cancelPatience: (() => void) | undefined;

  /** See `startSession`. */
  static async start(options: SessionOptions): Promise<LiveSession> {
    const session = new LiveSession(options);
    await session.#begin();
    return session;
  }

  private constructor(options: SessionOptions) {
    const { log, timers = realTimers, defaultMode = "default" } = options;
    this.log = log;
    this.#life = new CliLife(
      {
        launch: () => this.#launch(),
        onLost: (error, retryMs) => this.#guard(() => this.#cliLost(error.message, retryMs)),
        onGivenUp: (error) => this.#fail(error),
      },
      timers,
    );
    const recorder = new Recorder(log);
    const inbox = new Inbox(recorder, timers);
    const turns = new Turns(recorder, inbox);
    const approvals = new Approvals(recorder, turns, timers, options.approvalTimeoutMs);
    const control = new Control(recorder, this.#life, defaultMode);
    const watch = new TranscriptWatch(configDirOf(options.env), timers, (rows) => {
      this.#guard(() => {
        for (const row of rows) inbox.markRow(row);
        this.#foreign.take(rows);
      });
    });
    this.#foreign = new ForeignWriter(recorder, inbox);
    const cost = new CostMeter();
    this.#parts = { options, log, timers, recorder, inbox, turns, approvals, control, watch, cost };
    this.#feed = new EngineFeed(this.#parts);
    this.#mcp = new McpWatch(recorder, timers, options.toolsOf);
    const guarded = {
      after: (ms: number, run: () => void) => timers.after(ms, () => this.#guard(run)),
    };
    this.#output = new LiveOutput(recorder, guarded);
    this.#launcher = new Launcher(this.#parts, (event, engine) =>
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
    return this.#feed.cliVersion;
  }

  status(): StatusFields {
    const { state, logId: log_id, epoch, lastSeq: last_seq } = this.log;
    const { options, inbox, control } = this.#parts;
    return {
      session_id: sessionIdOf(this.#parts),
      log_id,
      epoch,
      last_seq,
      state: state.activity,
      ...(state.turn && { turn_id: state.turn.turnId }),
      pending: pendingOf(state),
      queued: inbox.waiting(),
      cwd: options.cwd,
      mode: control.mode,
      ...(state.model !== undefined && { model: state.model }),
      ...(state.effort !== undefined && { effort: state.effort }),
      ...(state.context && { context: state.context }),
      cost_usd: state.costUsd,
      ...(state.mcpServers && { mcp_servers: [...state.mcpServers] }),
      ...(state.backgroundTasks.length > 0 && { background_tasks: [...state.backgroundTasks] }),
      ...(this.#slashCommands && { slash_commands: this.#slashCommands }),
    };
  }

  async handle(command: SessionCommand, by: string | undefined): Promise<void> {
    if (this.#closing) throw errorOf("cli_exited", "The session is closing.");
    const { inbox, approvals, control } = this.#parts;
    switch (command.type) {
      case "message":
        // Somebody else's words must be known before this one is handed on.
        this.#guard(() => this.#parts.watch.look());
        await inbox.accept(command, by).finally(() => this.#awaitSight());
        if (command.priority === "now" && !command.quiet) void this.#cutShort();
        return;
      case "approve":
      case "deny":
      case "answer":
        if (this.#foreign.isAbout(command.request_id)) {
          // The first answer wins, and who comes later hears so below.
          if (!this.#goingOn) return this.#goOn(command.type, by);
          await this.#goingOn;
        }
        return approvals.answer(command, by);
      case "abort":
        return this.#abort(command.queue === "drop");
      case "set_mode":
        return control.setMode(command.mode, by);
      case "set_model":
        return control.setModel(command.model, by);
      case "set_thinking":
        return control.setThinking(command.effort, by);
      default:
        throw errorOf("invalid_request", `${command.type} is not for the session to carry out.`);
    }
  }

  close(reason: Exclude<Ended["reason"], "failed">): Promise<void> {
    return (this.#closing ??= this.#end({ reason }));
  }

  async #begin(): Promise<void> {
    const { options, inbox, recorder, control, watch } = this.#parts;
    const { state } = this.log;
    await inbox.restore((text) => this.#loadText(text));
    // For the day that a CLI dies: the next one is started at once then.
    await learnVersion(options.claudePath);
    if (state.sessionId === undefined) {
      const { sessionId: session_id, origin } = options;
      const copied = origin?.fork === true && { forked_from: origin.resume };
      recorder.tell({ type: "session_changed", session_id, ...copied });
    } else {
      recorder.tell({
        type: "notice",
        code: "host_restarted",
        message: "The session's process was started again and goes on where it was.",
      });
    }
    for (const notice of options.notices ?? []) recorder.tell({ type: "notice", ...notice });
    control.prefer(options);
    watch.follow(sessionIdOf(this.#parts));
    // Before a CLI is given anything: somebody may have written while none of ours was there.
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
    // Also when one was replaced, or its host has died.
    this.#forgetCli();
    const { engine, takesMessages } = this.#launcher.launch();
    void takesMessages.then(() => this.#guard(() => this.#openInbox(engine)));
    this.#settleIn(engine).catch(() => {
      // It is gone, and `closed` says why.
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

  /** What is to be asked of a CLI once it is up. */
  async #settleIn(engine: Engine): Promise<void> {
    const { turns, timers } = this.#parts;
    await engine.ready();
    // Before the first turn, because a client may want to wait for its tools.
    this.#mcp.look(engine).catch(() => {});
    if (turns.awaitsResumption && !this.#closing) {
      this.#cancelPatience?.();
      this.#cancelPatience = timers.after(RESUME_MS, () => this.#giveUpResumption(engine));
    }
    this.#slashCommands = await engine.slashCommands();
  }

  /** It costs the CLI more than all else that it is asked: so not while somebody waits for a first answer. */
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
    for (const draft of lostWithCli(this.log.state)) this.#parts.recorder.tell(draft);
  }

  #cliLost(why: string, retryMs: number): void {
    const { inbox, approvals, turns, recorder } = this.#parts;
    inbox.shut();
    approvals.cliGone();
    turns.forgetResumption();
    this.#forgetCli();
    const when = retryMs === 0 ? "now" : `in ${retryMs / 1000} s`;
    recorder.tell({
      type: "notice",
      code: "cli_restarted",
      message: `${why}. It is started again ${when}.`,
      data: { retry_ms: retryMs },
    });
  }

  /** Somebody else's words stand in the session; a CLI that is started now reads them. */
  async #goOn(answer: "approve" | "deny" | "answer", by: string | undefined): Promise<void> {
    const { turns, inbox, recorder } = this.#parts;
    const over = Promise.withResolvers<void>();
    this.#goingOn = over.promise;
    try {
      await turns.ended();
      inbox.shut();
      await this.#life.replace("close", () => this.#foreign.resolve(answer !== "deny", by));
      await recorder.durable();
    } finally {
      this.#goingOn = undefined;
      over.resolve();
    }
  }

  /**
   * A CLI that streams breaks off by itself for a message that is to be read now; for a running tool it waits.
   * An interrupt that comes just when the tool begins goes unheard, so it is repeated.
   */
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
        await settlesWithin(timers, over, CUT_AGAIN_MS);
      }
    } catch {
      // A CLI that cannot be reached is lost, or reads the message when its tool is done.
    }
  }

  async #abort(drop: boolean): Promise<void> {
    const { inbox, approvals, turns, recorder, watch } = this.#parts;
    const engine = this.#life.engine;
    this.#guard(() => watch.look());
    if (turns.isOpen) turns.endsAs(undefined);
    // From here on it is clear which messages are meant: what comes while the CLI is waited for is not.
    if (drop) inbox.renounce();
    // A CLI that is about to take up a cut turn would do so all the same.
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

  /** False: it did not obey in time, or has died over it. */
  async #interrupt(engine: Engine, dropQueued: boolean): Promise<boolean> {
    const { timers, turns, inbox } = this.#parts;
    let obeyed = false;
    const interrupted = engine
      .interrupt({ dropQueued })
      .then(() => turns.ended())
      .then(() => (obeyed = true));
    await settlesWithin(timers, Promise.race([interrupted, engine.closed]), ABORT_MS);
    // Where there is nothing to stop, one that is slow to come up need not be ended for it.
    return obeyed || !(turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted);
  }

  /** What the CLI has written down is known only when it is gone: that stands in the conversation and ends as its turn does. */
  #endWithoutCli(): void {
    const { watch, inbox } = this.#parts;
    watch.look();
    inbox.dropUnwanted();
    this.#endAborted();
  }

  /** The turn ends here, whatever the CLI does. */
  #endAborted(): void {
    const { approvals, turns, inbox } = this.#parts;
    approvals.abortAll();
    if (turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted) {
      turns.end({ stopReason: "aborted", messages: inbox.inTranscript() });
    }
  }

  /** Nothing that happens here may end the process: a session that cannot go on says so and closes. */
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

  async #end(ended: Ended): Promise<void> {
    const { watch, recorder } = this.#parts;
    await this.#life.stop();
    this.#cancelPatience?.();
    this.#output.reset();
    watch.look();
    watch.close();
    try {
      this.#endAborted();
      if (ended.error) recorder.tell({ type: "error", ...toWire(ended.error) });
      recorder.tell({
        type: "closing",
        reason: ended.reason,
        ...(ended.error && { message: ended.error.message }),
      });
    } catch {
      // The log takes nothing any more; whoever listens learns it from `closed`.
    }
    await this.log.close().catch(() => {});
    this.#ended.resolve(ended);
  }
}
