import type { CallRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import { addGrant, removeGrant } from "./grants.ts";
import type { CallWithoutResult, SessionState } from "./session-state.ts";

/** Late answers to the newest this many requests learn who was first; older requests are just unknown. */
const MAX_RESOLVED = 2000;
/** The CLI writes a call down a moment later; no more than this many happen in between. */
const MAX_FINISHED = 32;

/**
 * The fold over the log: applies one event to the session's state. Only the first delta of a block changes something,
 * so thousands of deltas cost nothing. Types of a later version are ignored.
 */
export function applyEvent(state: SessionState, event: SessionEvent): void {
  if (event.type === "snapshot_end") state.inSnapshot = false;
  if (state.inSnapshot) return;
  switch (event.type) {
    case "snapshot_begin":
      state.inSnapshot = true;
      break;
    case "user_message":
      state.acceptedIds.add(event.id);
      state.accepted.set(event.id, { event, seen: false });
      if (state.continuation?.planned.id === event.id) {
        state.continuation = { ...state.continuation, sent: true };
      }
      break;
    case "message_seen":
      markSeen(state, event.id);
      break;
    case "message_dropped":
      state.accepted.delete(event.id);
      state.dropped.set(event.id, event.reason);
      break;
    case "turn_started":
      startTurn(state, event);
      break;
    case "done":
      endTurn(state, event);
      break;
    case "continuation_planned":
      state.continuation = { planned: event, sent: state.acceptedIds.has(event.id) };
      // They are in the conversation, and no crash must bring them there again.
      for (const id of event.messages) state.accepted.delete(id);
      break;
    case "continuation_canceled":
      if (state.continuation) state.continuation = { ...state.continuation, sent: true };
      break;
    case "text_delta":
    case "thinking_delta":
      noteBlock(state, event);
      break;
    case "retracted":
      forget(state, event);
      break;
    case "tool_use":
      addCall(state, event);
      break;
    case "tool_result":
      finishCall(state, event);
      break;
    case "approval_request":
    case "question":
    case "plan":
      ask(state, event);
      break;
    case "elicitation":
      // It is about no call of its own: what waits for the answer is the MCP server.
      state.pending.set(event.request_id, event);
      break;
    case "request_held":
      moveDeadline(state, event);
      break;
    case "notice":
      askForLeave(state, event);
      break;
    case "approval_resolved":
      resolve(state, event);
      break;
    case "grant_revoked":
      removeGrant(state, event);
      break;
    case "grants":
      state.given.clear();
      for (const grant of event.grants) state.given.set(grant.id, grant);
      break;
    case "subagent_started":
      state.subagents.set(event.request_id, event);
      break;
    case "subagent_ended":
      state.subagents.delete(event.request_id);
      break;
    case "status":
      state.activity = event.state;
      break;
    case "todo":
      if (event.parent === undefined) state.todo = event;
      break;
    case "usage":
      addUsage(state, event);
      break;
    case "mode_changed":
      state.mode = event.mode;
      break;
    case "model_changed":
      state.model = event.model;
      state.modelAlias = event.alias;
      if (event.effort !== undefined) state.effort = event.effort;
      break;
    case "session_changed":
      state.sessionId = event.session_id;
      state.forkedFrom = event.forked_from;
      state.forkedAt = event.forked_at;
      // The next session begins with an empty list.
      if (event.previous !== undefined) state.todo = undefined;
      break;
    case "title_changed":
      state.title = event.title;
      break;
    case "mcp_status":
      state.mcpServers = event.servers;
      break;
    case "tools_offered":
      state.offers.set(event.namespace, event);
      break;
    case "tools_withdrawn":
      state.offers.delete(event.namespace);
      break;
    case "background_tasks":
      state.backgroundTasks = event.tasks;
      break;
    default:
      break;
  }
}

function markSeen(state: SessionState, id: string): void {
  const message = state.accepted.get(id);
  // A quiet message starts no turn that could end it.
  if (message?.event.quiet === true) state.accepted.delete(id);
  else if (message) state.accepted.set(id, { ...message, seen: true });
}

function startTurn(state: SessionState, event: SessionEventOf<"turn_started">): void {
  const { turn_id: turnId, messages, cause, at: startedAt } = event;
  const isQuiet = (id: string): boolean => state.accepted.get(id)?.event.quiet === true;
  const quiet = messages.length > 0 && messages.every(isQuiet);
  if (cause !== "resume") state.cut.clear();
  state.turn = { turnId, messages, cause, quiet, startedAt };
}

function endTurn(state: SessionState, event: SessionEventOf<"done">): void {
  state.turn = undefined;
  state.costUsd += event.cost_usd;
  for (const id of event.messages) state.accepted.delete(id);
  // The limit's own turn ends without messages, and so does a turn that only goes on in another one.
  if (event.messages.length > 0) state.continuation = undefined;
  const isLost = event.stop_reason === "cli_lost" || event.stop_reason === "host_lost";
  if (!isLost) state.cut.clear();
  for (const [id, call] of state.finished) if (isLost) state.cut.set(id, call);
  state.finished.clear();
  for (const [id, { tool, input, decision }] of state.calls) {
    // A background sub-agent goes on, and so does its question to a person.
    if (state.pending.has(id)) continue;
    state.calls.delete(id);
    if (isLost) state.cut.set(id, { tool, input, decision });
  }
}

/** A sub-agent's calls are in a file of its own, and the model never sees their results. */
function finishCall(state: SessionState, event: SessionEventOf<"tool_result">): void {
  const { request_id, output: result } = event;
  const call = state.calls.get(request_id);
  state.calls.delete(request_id);
  if (!call || call.parent !== undefined) return;
  const { tool, input, decision } = call;
  state.finished.set(request_id, { tool, input, decision, result });
  const [oldest] = state.finished.keys();
  if (state.finished.size > MAX_FINISHED && oldest !== undefined) state.finished.delete(oldest);
}

function noteBlock(
  state: SessionState,
  { type, block, parent }: SessionEventOf<"text_delta" | "thinking_delta">,
): void {
  const { turn } = state;
  if (!turn || block < (turn.nextBlock ?? 0)) return;
  const isAnswer = type === "text_delta" && parent === undefined;
  const said = [...(turn.said ?? []), ...(isAnswer ? [block] : [])];
  state.turn = { ...turn, nextBlock: block + 1, said };
}

function forget(state: SessionState, event: SessionEventOf<"retracted">): void {
  const { block, request_id } = event;
  const { turn } = state;
  // It will not run. A call that a person is asked about is settled by the answer.
  if (request_id !== undefined && !state.pending.has(request_id)) state.calls.delete(request_id);
  if (turn) state.turn = { ...turn, said: (turn.said ?? []).filter((each) => each !== block) };
}

function addCall(state: SessionState, event: SessionEventOf<"tool_use">): void {
  const { request_id, tool, input, parent } = event;
  // Text before a call is not the final text.
  if (state.turn && parent === undefined) state.turn = { ...state.turn, said: [] };
  const decision = state.calls.get(request_id)?.decision;
  state.calls.set(request_id, { tool, input, parent, decision });
}

function moveDeadline(state: SessionState, event: SessionEventOf<"request_held">): void {
  const { request_id, deadline, remaining_ms } = event;
  const request = state.pending.get(request_id);
  if (request) state.pending.set(request_id, { ...request, deadline, remaining_ms });
}

/** Keeps the notices that a person has to answer. */
function askForLeave(state: SessionState, event: SessionEventOf<"notice">): void {
  const { request_id } = event;
  if (request_id !== undefined) state.notices.set(request_id, { ...event, request_id });
}

function ask(state: SessionState, event: CallRequest): void {
  state.pending.set(event.request_id, event);
  state.resolved.delete(event.request_id);
  const known = state.calls.get(event.request_id);
  state.calls.set(event.request_id, { ...(known ?? callOf(event)), decision: "none" });
}

/** The call behind a request whose `tool_use` was not recorded. */
function callOf(event: CallRequest): CallWithoutResult {
  const { parent } = event;
  const decision = "none";
  if (event.type === "approval_request") {
    return { tool: event.tool, input: event.input, parent, decision };
  }
  const tool = event.type === "question" ? "AskUserQuestion" : "ExitPlanMode";
  return { tool, input: {}, parent, decision };
}

function resolve(state: SessionState, event: SessionEventOf<"approval_resolved">): void {
  const { request_id, outcome, by } = event;
  state.pending.delete(request_id);
  state.notices.delete(request_id);
  state.resolved.delete(request_id);
  state.resolved.set(request_id, { outcome, by });
  if (state.resolved.size > MAX_RESOLVED) {
    const [oldest] = state.resolved.keys();
    if (oldest !== undefined) state.resolved.delete(oldest);
  }
  const call = state.calls.get(request_id);
  // A superseded call is gone: the model makes it again under another id.
  if (outcome === "superseded") state.calls.delete(request_id);
  else if (call) {
    const decision = outcome === "allowed" ? "allowed" : "denied";
    state.calls.set(request_id, { ...call, decision });
  }
  addGrant(state, event);
}

function addUsage(state: SessionState, event: SessionEventOf<"usage">): void {
  if (event.parent === undefined) state.usage = event;
  if (event.context) state.context = event.context;
}
