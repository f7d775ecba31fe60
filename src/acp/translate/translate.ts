import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent, SessionEventOf } from "../../client/index.ts";
import type { Abilities } from "../abilities.ts";
import { noticeUpdates, retryUpdates } from "./notices.ts";
import { textOf } from "./text-or-preview.ts";
import type { LiveTerminal } from "./terminal-output.ts";
import { endTerminal, newTerminal, printMore, terminalInfo } from "./terminal-output.ts";
import { textContent } from "./text-content.ts";
import { isShell, toolCallOf } from "./tool-call.ts";
import { resultUpdate } from "./tool-result.ts";
import { blocksOfMessage } from "./user-message.ts";

/** A call that the editor knows and that has no result yet. */
interface OpenCall {
  readonly tool: string;
  readonly isRunning: boolean;
  /** Absent when its output is not shown in a terminal. */
  readonly terminal?: LiveTerminal;
}

/** What the next events need to know of the earlier ones. */
export interface TranslationState {
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly context?: { readonly tokens: number; readonly window: number } | undefined;
  readonly costUsd: number;
  /** The id of a summary that is being made. */
  readonly compaction?: string | undefined;
}

/** What an event is translated for. */
export interface TranslationContext {
  readonly cwd: string;
  readonly abilities: Abilities;
  /** It happened before the editor came. */
  readonly isPast: boolean;
  /** The editor itself has sent this message, so it shows it already. */
  readonly isOwnMessage: (id: string) => boolean;
  /** A prompt of the editor is open, whose answer will have an error of the turn. */
  readonly hasPrompt: boolean;
}

export interface Translation {
  readonly state: TranslationState;
  readonly updates: readonly SessionUpdate[];
}

export const beginning = (costUsd = 0): TranslationState => ({ calls: new Map(), costUsd });

const nothing: readonly SessionUpdate[] = [];

const say = (text: string, messageId: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId,
});

/** What the editor learns of an event. Requests to a person, modes and models are not among it: they are asked and offered. */
export function translate(
  state: TranslationState,
  event: SessionEvent,
  seen: TranslationContext,
): Translation {
  const same = (updates: readonly SessionUpdate[]): Translation => ({ state, updates });
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return same([deltaUpdate(event)]);
    case "user_message":
      return same(userMessage(event, seen));
    case "earlier":
      return same(earlierMessages(event));
    case "retracted":
      return retract(state, event);
    case "tool_use":
      return openCall(state, event, seen);
    case "approval_resolved":
      return event.outcome === "allowed" ? run(state, event.request_id) : same(nothing);
    case "subagent_started":
      return run(state, event.request_id);
    case "tool_progress":
      return run(state, event.request_id, event.message);
    case "tool_output_delta":
      return printOutput(state, event, seen);
    case "tool_result":
      return closeCall(state, event, seen);
    case "todo":
      return same([planUpdate(event)]);
    case "usage":
      return event.parent === undefined ? withUsage(state, event.context) : same(nothing);
    case "done":
      return endTurn(state, event, seen);
    case "compacting":
      return compact(state, String(event.seq), seen);
    case "compacted":
      return endCompaction(state, "completed", seen, String(event.seq));
    case "title_changed":
      return same([
        { sessionUpdate: "session_info_update", title: event.title, updatedAt: event.at },
      ]);
    case "notice": {
      const { state: after, updates } =
        event.code === "compaction_failed"
          ? endCompaction(state, "failed", seen, undefined, event.message)
          : same(nothing);
      return { state: after, updates: [...updates, ...noticeUpdates(event, seen.abilities)] };
    }
    case "retry":
      return same(retryUpdates(event, seen.abilities));
    case "error":
      return same(seen.hasPrompt ? nothing : errorUpdates(event, seen));
    default:
      return same(nothing);
  }
}

type Delta = SessionEventOf<"text_delta"> | SessionEventOf<"thinking_delta">;

const messageIdOf = ({ turn_id: turn = "", parent, block }: Delta): string =>
  parent === undefined ? `${turn}:${block}` : `${turn}:${parent}:${block}`;

/** What a sub-agent says is not the answer: the answer is the result of its call. */
function deltaUpdate(event: Delta): SessionUpdate {
  const isAnswer = event.type === "text_delta" && event.parent === undefined;
  return {
    sessionUpdate: isAnswer ? "agent_message_chunk" : "agent_thought_chunk",
    content: { type: "text", text: event.text },
    messageId: messageIdOf(event),
  };
}

function userMessage(
  event: SessionEventOf<"user_message">,
  seen: TranslationContext,
): SessionUpdate[] {
  if (!seen.isPast && seen.isOwnMessage(event.id)) return [];
  return blocksOfMessage(event).map((content) => ({
    sessionUpdate: "user_message_chunk",
    content,
    messageId: event.id,
  }));
}

function earlierMessages({ messages, omitted, seq }: SessionEventOf<"earlier">): SessionUpdate[] {
  const before = omitted === 0 ? [] : [say(`(${omitted} older messages are not shown.)`, `${seq}`)];
  return [
    ...before,
    ...messages.map(({ role, text }, index): SessionUpdate => ({
      sessionUpdate: role === "user" ? "user_message_chunk" : "agent_message_chunk",
      content: { type: "text", text },
      messageId: `${seq}:${index}`,
    })),
  ];
}

function retract(state: TranslationState, event: SessionEventOf<"retracted">): Translation {
  if (event.request_id === undefined) {
    const note = "\n\n*(The text above was withdrawn. The model answers again.)*\n\n";
    return { state, updates: [say(note, `${event.seq}`)] };
  }
  if (!state.calls.has(event.request_id)) return { state, updates: nothing };
  return {
    state: { ...state, calls: without(state.calls, event.request_id) },
    updates: [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: event.request_id,
        status: "failed",
        content: [textContent("This call was withdrawn and does not run.")],
      },
    ],
  };
}

function openCall(
  state: TranslationState,
  event: SessionEventOf<"tool_use">,
  { cwd, abilities, isPast }: TranslationContext,
): Translation {
  const { request_id: id, tool, input, parent } = event;
  const call = toolCallOf({ id, tool, input, parent }, cwd);
  const { _meta: meta } = call;
  // Of a call that is over, an editor would wait for the end of the terminal, or drop the update.
  const isLive = abilities.terminalOutput && !isPast && isShell(tool);
  const terminal = isLive ? { terminal: newTerminal } : {};
  const calls = new Map(state.calls).set(id, { tool, isRunning: false, ...terminal });
  const shown = isLive
    ? {
        ...call,
        content: [{ type: "terminal" as const, terminalId: id }],
        _meta: { ...meta, ...terminalInfo(id, cwd) },
      }
    : call;
  return {
    state: { ...state, calls },
    updates: [{ sessionUpdate: "tool_call", ...shown }],
  };
}

/** It has begun. What it says of itself stands where its result will. */
function run(state: TranslationState, id: string, message?: string): Translation {
  const call = state.calls.get(id);
  if (!call || (call.isRunning && message === undefined)) return { state, updates: nothing };
  const calls = new Map(state.calls).set(id, { ...call, isRunning: true });
  const isSaid = message !== undefined && message !== "" && call.terminal === undefined;
  return {
    state: { ...state, calls },
    updates: [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: id,
        status: "in_progress",
        ...(isSaid && { content: [textContent(message)] }),
      },
    ],
  };
}

function printOutput(
  state: TranslationState,
  event: SessionEventOf<"tool_output_delta">,
  { isPast }: TranslationContext,
): Translation {
  const { request_id: id } = event;
  const call = state.calls.get(id);
  if (call?.terminal === undefined || isPast) return { state, updates: nothing };
  const { terminal, meta } = printMore(call.terminal, event);
  const calls = new Map(state.calls).set(id, { ...call, isRunning: true, terminal });
  const status = call.isRunning ? {} : { status: "in_progress" as const };
  return {
    state: { ...state, calls },
    updates: [{ sessionUpdate: "tool_call_update", toolCallId: id, ...status, _meta: meta }],
  };
}

function closeCall(
  state: TranslationState,
  event: SessionEventOf<"tool_result">,
  { cwd }: TranslationContext,
): Translation {
  const call = state.calls.get(event.request_id);
  const update = resultUpdate(event, call?.tool, cwd);
  const shown = call?.terminal
    ? {
        toolCallId: update.toolCallId,
        status: update.status ?? null,
        _meta: endTerminal(call.terminal, event),
      }
    : update;
  return {
    state: { ...state, calls: without(state.calls, event.request_id) },
    updates: [{ sessionUpdate: "tool_call_update", ...shown }],
  };
}

const planUpdate = ({ items }: SessionEventOf<"todo">): SessionUpdate => ({
  sessionUpdate: "plan",
  entries: items.map(({ content, status, active_form: active }) => ({
    content: status === "in_progress" ? (active ?? content) : content,
    status,
    priority: "medium",
  })),
});

function withUsage(state: TranslationState, context: TranslationState["context"]): Translation {
  if (!context) return { state, updates: nothing };
  const after = { ...state, context };
  return { state: after, updates: usageUpdates(after) };
}

const usageUpdates = ({ context, costUsd }: TranslationState): SessionUpdate[] =>
  context === undefined
    ? []
    : [
        {
          sessionUpdate: "usage_update",
          used: context.tokens,
          size: context.window,
          cost: { amount: costUsd, currency: "USD" },
        },
      ];

function endTurn(
  state: TranslationState,
  event: SessionEventOf<"done">,
  seen: TranslationContext,
): Translation {
  const ended = endCompaction(state, "cancelled", seen);
  const after = { ...ended.state, costUsd: state.costUsd + event.cost_usd };
  return { state: after, updates: [...ended.updates, ...usageUpdates(after)] };
}

function compact(
  state: TranslationState,
  id: string,
  { abilities }: TranslationContext,
): Translation {
  return {
    state: { ...state, compaction: id },
    updates: abilities.compaction
      ? [{ sessionUpdate: "compaction_update", compactionId: id, status: "in_progress" }]
      : nothing,
  };
}

/** @param orElse the id of a summary whose beginning we have not seen. */
function endCompaction(
  state: TranslationState,
  status: "completed" | "failed" | "cancelled",
  { abilities }: TranslationContext,
  orElse?: string,
  error?: string,
): Translation {
  const { compaction: id = orElse, ...rest } = state;
  if (id === undefined) return { state, updates: nothing };
  const update: SessionUpdate = {
    sessionUpdate: "compaction_update",
    compactionId: id,
    status,
    ...(error !== undefined && { error }),
  };
  return { state: rest, updates: abilities.compaction ? [update] : nothing };
}

function errorUpdates(event: SessionEventOf<"error">, { abilities }: TranslationContext) {
  const { message, hint, seq } = event;
  if (!abilities.notices) return [say(`\n\n**Error:** ${message} ${hint}\n\n`, `${seq}`)];
  const title = textOf(message);
  return [{ sessionUpdate: "notice", severity: "error", title, description: hint }] as const;
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
