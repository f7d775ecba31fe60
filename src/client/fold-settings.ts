import { grantOf } from "../session-state/grants.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Draft } from "./conversation-draft.ts";

/** Applies events that say what holds now. */
export function applySetting(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "status":
      draft.state = event.state;
      break;
    case "title_changed":
      draft.title = event.title;
      break;
    case "todo":
      if (event.parent === undefined) draft.todo = event.items;
      break;
    case "usage":
      noteUsage(draft, event);
      break;
    case "compacting":
      draft.compacting = true;
      break;
    case "retry":
      draft.retry = event;
      break;
    case "mode_changed":
      draft.mode = event.mode;
      break;
    case "model_changed":
      draft.model = event.model;
      if (event.effort !== undefined) draft.effort = event.effort;
      break;
    case "mcp_status":
      draft.mcpServers = event.servers;
      break;
    case "background_tasks":
      draft.backgroundTasks = event.tasks;
      break;
    case "approval_resolved":
      addGrant(draft, event);
      break;
    case "grants":
      draft.grants = event.grants;
      break;
    case "grant_revoked":
      draft.grants = draft.grants.filter(({ id }) => id !== event.grant);
      break;
    case "tools_offered":
      draft.offeredTools = [...others(draft, event.namespace), event];
      break;
    case "tools_withdrawn":
      draft.offeredTools = others(draft, event.namespace);
      break;
    default:
      break;
  }
}

const others = ({ offeredTools }: Draft, namespace: string) =>
  offeredTools.filter((offer) => offer.namespace !== namespace);

function addGrant(draft: Draft, event: SessionEventOf<"approval_resolved">): void {
  const grant = grantOf(event);
  if (grant) draft.grants = [...draft.grants.filter(({ id }) => id !== grant.id), grant];
}

function noteUsage(draft: Draft, event: SessionEventOf<"usage">): void {
  draft.context = event.context ?? draft.context;
  const turnId = event.turn_id ?? draft.openTurn;
  const turn = turnId === undefined ? undefined : draft.turns.get(turnId);
  if (event.parent === undefined && turn && !turn.done) {
    draft.turns.set({ ...turn, usage: event.usage });
  }
}
