import type { EngineEvent, TurnEndedEvent } from "../../engine/index.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { TokenUsage } from "../../wire/session/shared-schemas.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import type { SessionContext } from "./session-context.ts";
import { translateTasks } from "./translate/translate-background-tasks.ts";
import { endedByResult, startedByDeed, translateTask } from "./translate/translate-subagents.ts";
import { translateTodo } from "./translate/translate-todo-list.ts";
import { translate } from "./translate/translate.ts";

/** Turns the engine's events into events of the log. */
export class EngineEventRecorder {
  readonly #parts: SessionContext;
  cliVersion: string | undefined;
  /** Of the current model; 0 until the CLI has been asked. */
  #contextWindow = 0;
  #windowOf: string | undefined;
  #lastUsage: TokenUsage | undefined;
  /** The CLI is processing quiet messages, for which no turn is recorded. */
  #quietTurn = false;
  /** The CLI's ids of messages that the running turn has taken in: they stand in the transcript, or will at once. */
  readonly #takenIn = new Set<string>();
  /** Sub-agents of the running turn whose tasks have ended. */
  readonly #stoppedAgents = new Set<string>();

  constructor(parts: SessionContext) {
    this.#parts = parts;
  }

  /** Called when another CLI starts. */
  reset(): void {
    this.#quietTurn = false;
    this.#takenIn.clear();
  }

  get knowsContextWindow(): boolean {
    return this.#contextWindow > 0 && this.#windowOf === this.#parts.log.state.model;
  }

  /** If the turn has already ended, records its usage again with the window; an open turn will include it. */
  contextWindowIs(window: number): void {
    const { recorder, turns, log } = this.#parts;
    this.#contextWindow = window;
    const { usage, model } = log.state;
    this.#windowOf = model;
    if (turns.isOpen || !this.#lastUsage || !usage) return;
    recorder.record({ type: "usage", usage: usage.usage, ...this.#contextOf(this.#lastUsage) });
  }

  take(event: EngineEvent): void {
    const { recorder, modeAndModel, title, watch, log } = this.#parts;
    switch (event.type) {
      case "ready":
        this.cliVersion = event.cli_version;
        modeAndModel.modelIs(event.model);
        modeAndModel.modeIs(event.mode);
        break;
      case "turn_started":
        this.#turnStarted(event.messages);
        break;
      case "turn_ended":
        this.#turnEnded(event);
        break;
      case "message_state":
        if (event.state === "started") this.#takenIn.add(event.id);
        if (event.state === "cancelled") this.#cancelled(event.id);
        break;
      case "usage":
        this.#usage(event.usage);
        break;
      case "mode_changed":
        modeAndModel.modeIs(event.mode);
        break;
      case "model_changed":
        modeAndModel.modelIs(event.model);
        break;
      case "title_changed":
        title.titleIs(event.title);
        break;
      case "session_changed":
        watch.follow(event.session_id);
        recorder.record(event);
        break;
      case "rate_limit":
        this.#parts.continuation.limitIs(event);
        this.#tell(event);
        break;
      case "background_task":
        for (const draft of translateTask(event, log.state)) {
          if (draft.type === "subagent_ended") this.#stoppedAgents.add(draft.request_id);
          recorder.record(draft);
        }
        break;
      case "background_tasks":
        for (const draft of translateTasks(event, log.state)) recorder.record(draft);
        break;
      default:
        this.#tell(event);
    }
  }

  #tell(told: EngineEvent): void {
    const { recorder, turns, approvals, log } = this.#parts;
    // Deltas come by the thousand, so they take the shortest path.
    if (told.type === "text_delta" && told.parent === undefined) {
      turns.ensure();
      recorder.record(told);
      return;
    }
    const { state } = log;
    const event = withParent(told, state);
    if (event.type === "tool_result") approvals.callEnded(event.request_id);
    const drafts = [
      ...(this.#isOfStopped(event) ? [] : startedByDeed(event, state)),
      ...translate(event),
      ...(event.type === "tool_result" ? translateTodo(event, state) : []),
      ...(event.type === "tool_result" ? endedByResult(event, state) : []),
    ];
    for (const draft of drafts) {
      // What a background sub-agent does belongs to no turn, not even a change of the list that all agents share.
      const isOfAll = draft.type === "todo" && "parent" in event;
      const isOfTurn = draft.type !== "notice" && draft.type !== "retry" && !("parent" in draft);
      if (isOfTurn && !isOfAll) turns.ensure();
      recorder.record(draft);
    }
  }

  /** The last events of a sub-agent come after its end, and begin no other. */
  #isOfStopped(event: EngineEvent): boolean {
    const parent = "parent" in event ? event.parent : undefined;
    return parent !== undefined && this.#stoppedAgents.has(parent);
  }

  #usage(usage: TokenUsage): void {
    const { recorder, turns } = this.#parts;
    turns.ensure();
    this.#lastUsage = usage;
    const used = turns.addUsage(usage);
    recorder.record({ type: "usage", usage: used, ...this.#contextOf(usage) });
  }

  /** The last request held the whole conversation; its answer is part of it now. */
  #contextOf(usage: TokenUsage): Pick<SessionEventOf<"usage">, "context"> {
    if (!this.knowsContextWindow) return {};
    const { input_tokens, output_tokens } = usage;
    const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: made = 0 } = usage;
    return {
      context: { tokens: input_tokens + output_tokens + read + made, window: this.#contextWindow },
    };
  }

  #turnStarted(uuids: string[]): void {
    const { inbox, turns } = this.#parts;
    this.#quietTurn = inbox.areQuiet(uuids);
    if (this.#quietTurn) return;
    const messages = inbox.idsOf(uuids);
    turns.begin(messages, messages.length > 0 ? "message" : "background");
  }

  #turnEnded(event: TurnEndedEvent): void {
    const { inbox, turns, approvals, watch, cost, log, continuation } = this.#parts;
    const quiet = this.#quietTurn;
    this.#quietTurn = false;
    this.#stoppedAgents.clear();
    this.#takenIn.clear();
    const costUsd = cost.take(event.total_cost_usd);
    const ended = inbox.idsOf(event.messages);
    // What the turn took in is in the transcript by now: `message_seen` must come before `done`.
    watch.look();
    approvals.endWithdrawn();
    const { turn } = log.state;
    if (!turn && (quiet || ended.length === 0)) return;
    turns.end({
      stopReason: event.stop_reason,
      // A resumed turn has messages that this CLI was never given, and the CLI does not name messages of peers that
      // joined a turn.
      messages: [...new Set([...(turn?.messages ?? []), ...ended, ...inbox.joined()])],
      usage: event.usage,
      costUsd,
      durationMs: event.duration_ms,
      error: event.error,
      continueAt: continuation.dueAfter(event.error),
    });
    continuation.wait();
  }

  /**
   * The CLI will not process this message. Messages of a stopped turn end with it; those that a closing CLI returns
   * go to the next CLI.
   */
  #cancelled(uuid: string): void {
    const { inbox, log } = this.#parts;
    const [id] = inbox.idsOf([uuid]);
    const isInTurn = this.#takenIn.has(uuid) || log.state.turn?.messages.includes(id ?? "");
    if (id === undefined || isInTurn) return;
    inbox.takeBack(id);
  }
}

/** A sign of life of a sub-agent's call may name the call alone. */
function withParent(event: EngineEvent, { calls }: SessionState): EngineEvent {
  if (event.type !== "tool_progress" || event.parent !== undefined) return event;
  const parent = calls.get(event.request_id)?.parent;
  return parent === undefined ? event : { ...event, parent };
}
