import type {
  ContentBlock,
  DropOutcome,
  Effort,
  MessagePriority,
  PermissionMode,
} from "agent-switchboard/wire";
import type { Completions } from "agent-switchboard/client/core";
import type { TalkState } from "../state/talk-state.ts";
import type { TeamState } from "../state/team-state.ts";

/**
 * What a person can do in a talk. What is absent cannot be done here. What cannot be done now, as while an agent sleeps, rejects
 * and never throws.
 */
export interface TalkActions {
  readonly send?: (
    message: string | readonly ContentBlock[],
    options: { readonly id: string; readonly priority: MessagePriority },
  ) => Promise<unknown>;
  readonly drop?: (id: string) => Promise<DropOutcome>;
  readonly abort?: () => Promise<unknown>;
  readonly setMode?: (mode: PermissionMode) => Promise<unknown>;
  readonly setModel?: (model: string) => Promise<unknown>;
  readonly setEffort?: (effort: Effort | null) => Promise<unknown>;
  readonly completeFile?: (prefix: string) => Promise<Completions>;
  readonly stopTask?: (taskId: string) => Promise<unknown>;
}

export const noActions: TalkActions = {};

export const sessionActions = (state: TalkState): TalkActions => ({
  send: async (message, options) => state.client.send(message, options),
  drop: async (id) => state.client.drop(id),
  abort: async () => state.client.abort(),
  setMode: async (mode) => state.client.setMode(mode),
  setModel: async (model) => state.client.setModel(model),
  setEffort: async (effort) => state.client.setThinking(effort),
  completeFile: async (prefix) => state.client.completeFile(prefix, { limit: 20 }),
  stopTask: async (taskId) => state.client.stop({ taskId }),
});

const priorities = { now: "urgent", next: "normal", later: "low" } as const;

/** People talk to the lead alone, and through the team, which keeps the message and answers it. */
export function agentActions(state: TalkState, team: TeamState, isLead: boolean): TalkActions {
  const { agent = "" } = state;
  return {
    ...(isLead && {
      send: (message, { id, priority }) =>
        team.client.request("send", {
          id,
          priority: priorities[priority],
          ...(typeof message === "string" ? { text: message } : { content: [...message] }),
        }),
      completeFile: async (prefix) => state.client.completeFile(prefix, { limit: 20 }),
      drop: async (id) => (await team.client.request("drop", { id })).outcome,
    }),
    abort: () => team.client.request("abort", { agent }),
    setMode: (mode) => team.client.request("set", { agent, mode }),
    setModel: (model) => team.client.request("set", { agent, model }),
    setEffort: (effort) => team.client.request("set", { agent, effort }),
  };
}
