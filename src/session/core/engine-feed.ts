import type { EngineEvent, TurnEndedEvent } from "../../engine/events.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { TokenUsage } from "../../wire/session-terms.ts";
import type { Parts } from "./parts.ts";
import { translateTasks } from "./translate/background.ts";
import { endedByResult, startedByDeed, translateTask } from "./translate/subagents.ts";
import { translateTodo } from "./translate/todo.ts";
import { translate } from "./translate/translate.ts";

/** Takes what the CLI tells and makes of it what the log tells. */
export class EngineFeed {
  readonly #parts: Parts;
  cliVersion: string | undefined;
  /** Of this model; 0 until the CLI was asked. */
  #contextWindow = 0;
  #windowOf: string | undefined;
  #lastUsage: TokenUsage | undefined;
  /** The CLI works on quiet messages, of which no turn is told. */
  #quietTurn = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Another CLI begins. */
  reset(): void {
    this.#quietTurn = false;
  }

  get knowsContextWindow(): boolean {
    return this.#contextWindow > 0 && this.#windowOf === this.#parts.log.state.model;
  }

  /** Told late, it completes what the last turn has told; a turn that is open tells it by itself. */
  contextWindowIs(window: number): void {
    const { recorder, turns, log } = this.#parts;
    this.#contextWindow = window;
    const { usage, model } = log.state;
    this.#windowOf = model;
    if (turns.isOpen || !this.#lastUsage || !usage) return;
    recorder.tell({ type: "usage", usage: usage.usage, ...this.#contextOf(this.#lastUsage) });
  }

  take(event: EngineEvent): void {
    const { recorder, control, watch, log } = this.#parts;
    switch (event.type) {
      case "ready":
        this.cliVersion = event.cli_version;
        control.modelIs(event.model);
        control.modeIs(event.mode);
        break;
      case "turn_started":
        this.#turnStarted(event.messages);
        break;
      case "turn_ended":
        this.#turnEnded(event);
        break;
      case "message_state":
        if (event.state === "cancelled") this.#cancelled(event.id);
        break;
      case "usage":
        this.#usage(event.usage);
        break;
      case "mode_changed":
        control.modeIs(event.mode);
        break;
      case "model_changed":
        control.modelIs(event.model);
        break;
      case "session_changed":
        watch.follow(event.session_id);
        recorder.tell(event);
        break;
      case "background_task":
        for (const draft of translateTask(event, log.state)) recorder.tell(draft);
        break;
      case "background_tasks":
        for (const draft of translateTasks(event, log.state)) recorder.tell(draft);
        break;
      default:
        this.#tell(event);
    }
  }

  #tell(event: EngineEvent): void {
    const { recorder, turns, log } = this.#parts;
    // They come by the thousand, so they take the shortest way.
    if (event.type === "text_delta" && event.parent === undefined) {
      turns.ensure();
      recorder.tell(event);
      return;
    }
    const { state } = log;
    const drafts = [
      ...startedByDeed(event, state),
      ...translate(event),
      ...(event.type === "tool_result" ? translateTodo(event, state) : []),
      ...(event.type === "tool_result" ? endedByResult(event, state) : []),
    ];
    for (const draft of drafts) {
      // What a sub-agent of the background does belongs to no turn of its own, also to the list of all.
      const isOfAll = draft.type === "todo" && "parent" in event;
      const isOfTurn = draft.type !== "notice" && draft.type !== "retry" && !("parent" in draft);
      if (isOfTurn && !isOfAll) turns.ensure();
      recorder.tell(draft);
    }
  }

  #usage(usage: TokenUsage): void {
    const { recorder, turns } = this.#parts;
    turns.ensure();
    this.#lastUsage = usage;
    const used = turns.addUsage(usage);
    recorder.tell({ type: "usage", usage: used, ...this.#contextOf(usage) });
  }

  /** The last request held the whole conversation, and its answer is part of it now. */
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
    const { inbox, turns, approvals, watch, cost, log } = this.#parts;
    const quiet = this.#quietTurn;
    this.#quietTurn = false;
    const costUsd = cost.take(event.total_cost_usd);
    const ended = inbox.idsOf(event.messages);
    // What it took in stands in the file by now: its sight comes before its end.
    watch.look();
    approvals.endWithdrawn();
    const { turn } = log.state;
    if (!turn && (quiet || ended.length === 0)) return;
    turns.end({
      stopReason: event.stop_reason,
      // A turn that was taken up has messages that this CLI was never given, and the CLI does not name
      // the peers' messages that have joined a turn.
      messages: [...new Set([...(turn?.messages ?? []), ...ended, ...inbox.joined()])],
      usage: event.usage,
      costUsd,
      durationMs: event.duration_ms,
      error: event.error,
    });
  }

  /**
   * A message that this CLI will not take up. Those of a stopped turn end with it; what a CLI gives back
   * when it is closed goes to the next one.
   */
  #cancelled(uuid: string): void {
    const { inbox, log } = this.#parts;
    const [id] = inbox.idsOf([uuid]);
    if (id === undefined || log.state.turn?.messages.includes(id)) return;
    if (inbox.isUnwanted(id)) inbox.drop(id, "aborted");
  }
}
