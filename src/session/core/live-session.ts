import type { Engine } from "../../engine/index.ts";
import { knownVersion, learnVersion } from "../../engine/cli.ts";
import { configDirOf, findTranscript } from "../../engine/recovery/index.ts";
import type { StoredText } from "../../wire/blob.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { fromWire, toWire } from "../../wire/error-wire.ts";
import type { SessionCommand } from "../../wire/session/commands.ts";
import type { EventLog } from "../log/event-log.ts";
import { Approvals } from "./approvals/approvals.ts";
import type { CliEnd } from "./cli-supervisor.ts";
import { CliSupervisor } from "./cli-supervisor.ts";
import { SessionQuestions } from "./approvals/session-questions.ts";
import { ModeAndModel } from "./mode-and-model.ts";
import { OfferedChoices } from "./offered-choices.ts";
import { FileCompletion } from "./completion/file-completion.ts";
import { CostMeter } from "./cost-meter.ts";
import { ContinueAtReset } from "./continue-at-reset.ts";
import type { CommandAnswer } from "./command-answer.ts";
import { carryOut } from "./command-table.ts";
import { EngineEventRecorder } from "./record-engine-events.ts";
import { ForeignWriter } from "./notice-foreign-writer.ts";
import { Inbox } from "./inbox.ts";
import { Interrupts } from "./interrupt-turn.ts";
import { CliLauncher } from "./cli-launcher.ts";
import { LiveOutput } from "./live-output.ts";
import { LostConversation } from "./lost-conversation/lost-conversation.ts";
import { McpWatch } from "./watch-mcp-servers.ts";
import { ToolOffers } from "./offers/tool-offers.ts";
import { serverNames, untilKnown } from "./offers/wait-until-cli-has-tools.ts";
import type { SessionContext } from "./session-context.ts";
import { sessionIdOf } from "./session-context.ts";
import { Recorder } from "./event-recorder.ts";
import { RunningTasks } from "./running-tasks.ts";
import { untestedCli } from "./warn-of-untested-cli.ts";
import type { ClientLink, SessionEnd, Session, SessionOptions } from "./session-types.ts";
import type { StatusFields } from "./session-types.ts";
import { recordEarlierMessages } from "./record-earlier-messages.ts";
import { systemClock } from "../../time/clock.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import { SessionServers } from "./session-servers.ts";
import { Title } from "./conversation-title.ts";
import { statusOf } from "./status-of.ts";
import { TranscriptWatch } from "./watch-transcript.ts";
import { lostWithCli } from "./translate/lost-with-cli.ts";
import { Turns } from "./open-and-end-turns.ts";

/** A cut turn is resumed as soon as the CLI is up. After this time we stop waiting for that. */
const RESUME_MS = 60_000;
/** How long clients that offer tools may delay the end, and how long the disk may. */
const OFFERS_MS = 2_000;
const LOG_MS = 10_000;

/** What people are told of a CLI that did not end with its session. */
const aboutCli: Record<CliEnd, string | undefined> = {
  ended: undefined,
  killed: "Claude Code did not end when it was asked to, and was killed.",
  left: "Claude Code did not end, though it was killed.",
};

export class LiveSession implements Session {
  readonly log: EventLog;
  readonly #parts: SessionContext;
  readonly #feed: EngineEventRecorder;
  readonly #launcher: CliLauncher;
  readonly #life: CliSupervisor;
  readonly #mcp: McpWatch;
  readonly #output: LiveOutput;
  readonly #foreign: ForeignWriter;
  readonly #lost: LostConversation;
  readonly #questions: SessionQuestions;
  readonly #interrupts: Interrupts;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  readonly closed: Promise<SessionEnd> = this.#ended.promise;
  #closing: Promise<void> | undefined;
  readonly #choices = new OfferedChoices();
  readonly #files: FileCompletion;
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
    this.#life = new CliSupervisor(
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
    const modes = () => this.#choices.known.modes;
    const approvals = new Approvals(recorder, turns, timers, { ...options, modes });
    const modeAndModel = new ModeAndModel(recorder, this.#life, defaultMode);
    const watch = new TranscriptWatch(configDirOf(options.env), timers, (rows) => {
      this.#guard(() => {
        for (const row of rows) inbox.markRow(row);
        this.#foreign.take(rows);
      });
    });
    this.#foreign = new ForeignWriter(recorder, inbox);
    this.#files = new FileCompletion(options.cwd, options.addedDirectories);
    const cost = new CostMeter();
    const servers = new SessionServers(options, recorder, this.#life);
    const offers = new ToolOffers({
      recorder,
      timers,
      servers,
      epoch: log.epoch,
      serverNames: () => serverNames(this.#life.engine, options, log.state),
      whenKnown: async (server, tools) => {
        const { engine } = this.#life;
        if (engine) this.#mcp.look(engine).catch(() => {});
        await untilKnown(this.#life, server, tools);
      },
    });
    const { continueAtReset: isOn = false, wallMs } = options;
    const guardedTimers = {
      after: (ms: number, run: () => void) => timers.after(ms, () => this.#guard(run)),
    };
    const continuation = new ContinueAtReset({
      recorder,
      inbox,
      turns,
      timers: guardedTimers,
      wallMs,
      isOn,
    });
    this.#parts = {
      options,
      log,
      timers,
      recorder,
      inbox,
      turns,
      approvals,
      modeAndModel,
      title: new Title(recorder, this.#life),
      watch,
      cost,
      servers,
      offers,
      continuation,
      tasks: new RunningTasks(timers),
    };
    this.#lost = new LostConversation(this.#parts, (text) => this.#loadText(text));
    this.#questions = new SessionQuestions([this.#foreign, this.#lost], this.#life, this.#parts);
    this.#interrupts = new Interrupts(this.#parts, this.#life, (act) => this.#guard(act));
    this.#feed = new EngineEventRecorder(this.#parts);
    this.#mcp = new McpWatch(recorder, timers, options.toolsOf, (name) => servers.programOf(name));
    this.#output = new LiveOutput(recorder, guardedTimers);
    this.#launcher = new CliLauncher(this.#parts, this.#lost, (event, engine) =>
      this.#guard(() => {
        if (event.type === "debug") options.onDebug?.(event);
        if (event.type === "commands_changed") this.#choices.askCommands(engine).catch(() => {});
        if (event.type === "mcp_status") this.#mcp.look(engine).catch(() => {});
        this.#output.take(event, engine);
        this.#parts.tasks.take(event);
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
      ...(options.addedDirectories && { added_directories: [...options.addedDirectories] }),
      mode: modeAndModel.mode,
      ...this.#choices.known,
    };
  }

  watchChoices(listener: () => void): void {
    this.#choices.watch(listener);
  }

  async handle(
    command: SessionCommand,
    by: string | undefined,
    link?: ClientLink,
  ): Promise<CommandAnswer | void> {
    if (this.#closing) throw errorOf("cli_exited", "The session is closing.");
    return carryOut(command, by, {
      ...this.#parts,
      questions: this.#questions,
      interrupts: this.#interrupts,
      files: this.#files,
      link,
      engine: this.#life.engine,
      lookAtTranscript: () => this.#guard(() => this.#parts.watch.look()),
      awaitSight: () => this.#awaitSight(),
      lookAtServers: (engine) => void this.#mcp.look(engine).catch(() => {}),
    });
  }

  left(link: ClientLink): void {
    this.#guard(() => this.#parts.offers.left(link));
  }

  close(reason: Exclude<SessionEnd["reason"], "failed">): Promise<void> {
    return (this.#closing ??= this.#end({ reason }));
  }

  async #begin(): Promise<void> {
    const { options, inbox, recorder, modeAndModel, offers, watch } = this.#parts;
    const { state } = this.log;
    await inbox.restore((text) => this.#loadText(text));
    // Learnt in advance, so that the next CLI starts at once when this one dies.
    await learnVersion(options.claudePath);
    if (state.sessionId === undefined) {
      const { sessionId: session_id, origin } = options;
      const copied = origin?.fork === true && {
        forked_from: origin.resume,
        ...(origin.at !== undefined && { forked_at: origin.at }),
      };
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
    offers.forgetEarlier();
    const untested = untestedCli(knownVersion(options.claudePath));
    for (const notice of [...(options.notices ?? []), ...untested]) {
      recorder.record({ type: "notice", ...notice });
    }
    modeAndModel.prefer(options);
    this.#parts.continuation.wait();
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
    this.#choices.startedIn(this.#parts.modeAndModel.mode);
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
    const { turns, timers, title } = this.#parts;
    await engine.ready();
    if (engine.pid !== undefined) this.#parts.options.onCliReady?.(engine.pid);
    // Before the first turn, because a client may want to wait for its tools.
    this.#mcp.look(engine).catch(() => {});
    if (turns.awaitsResumption && !this.#closing) {
      this.#cancelPatience?.();
      this.#cancelPatience = timers.after(RESUME_MS, () => this.#giveUpResumption(engine));
    }
    await this.#choices.ask(engine);
    await title.giveAgain(engine, this.#hasTranscript());
  }

  #hasTranscript(): boolean {
    const configDir = configDirOf(this.#parts.options.env);
    return findTranscript(configDir, sessionIdOf(this.#parts)) !== undefined;
  }

  /** This costs the CLI more than all other requests, so not while a client waits for a first answer. */
  async #askContextWindow(engine: Engine): Promise<void> {
    if (this.#feed.knowsContextWindow) return;
    const { window } = await engine.contextUsage();
    this.#guard(() => this.#feed.contextWindowIs(window));
  }

  #giveUpResumption(engine: Engine): void {
    const { turns, inbox, approvals } = this.#parts;
    if (engine !== this.#life.engine || !turns.awaitsResumption) return;
    this.#guard(() => {
      approvals.endWithdrawn();
      turns.endAsLost({ stopReason: "cli_lost", messages: inbox.inTranscript() });
    });
  }

  #forgetCli(): void {
    this.#parts.tasks.reset();
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

  /** Every step is bounded or cannot wait, and a step that fails does not keep the next from happening. */
  async #end(ended: SessionEnd): Promise<void> {
    const { offers, watch, recorder, timers } = this.#parts;
    const cli = await this.#life.stop();
    await settlesWithin(offers.close(), OFFERS_MS, timers);
    this.#cancelPatience?.();
    this.#parts.continuation.close();
    this.#guard(() => this.#output.reset());
    this.#guard(() => watch.look());
    watch.close();
    // A log that is closed takes no more; listeners learn the reason from `closed`.
    this.#guard(() => this.#interrupts.endAborted());
    this.#guard(() => {
      const message = ended.error?.message ?? aboutCli[cli];
      if (ended.error) recorder.record({ type: "error", ...toWire(ended.error) });
      recorder.record({
        type: "closing",
        reason: ended.reason,
        ...(message !== undefined && { message }),
      });
    });
    await settlesWithin(this.log.close(), LOG_MS, timers);
    this.#ended.resolve(ended);
  }
}
