import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { NoticeLevelSchema } from "../../wire/session/notices.ts";
import type { NoticeLevel } from "../../wire/session/notices.ts";
import type { EngineEvent, NoticeEvent } from "../events.ts";
import { knownWord, textOf } from "./read-leniently.ts";
import { retryEvent } from "./retry-event.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
type Of<Subtype extends SystemMessage["subtype"]> = Extract<SystemMessage, { subtype: Subtype }>;

/** The CLI's messages beside the conversation: memories, files, plugins, and texts for its user. */
export type CliNotice = Of<
  | "informational"
  | "notification"
  | "plugin_install"
  | "files_persisted"
  | "memory_recall"
  | "elicitation_complete"
  | "worker_shutting_down"
  | "control_request_progress"
>;

export function cliNoticeEvent(message: CliNotice): EngineEvent {
  switch (message.subtype) {
    case "informational":
      return words(message.content, NoticeLevelSchema.safeParse(message.level).data);
    case "notification":
      return words(message.text, levelOfPriority.get(message.priority));
    case "plugin_install":
      return pluginEvent(message);
    case "files_persisted":
      return filesEvent(message);
    case "memory_recall":
      return {
        type: "memory_recalled",
        memories: message.memories.map(({ path, scope, content }) => ({
          path,
          scope,
          ...(content !== undefined && { content }),
        })),
      };
    case "elicitation_complete": {
      const { mcp_server_name: name } = message;
      return { type: "progress", of: "elicitation", state: "completed", name };
    }
    case "worker_shutting_down": {
      const reason = textOf(message.reason) || "it gave no reason";
      return words(`Claude Code is shutting down its work here: ${reason}.`, "warning");
    }
    default:
      return controlEvent(message);
  }
}

const words = (message: string, level?: NoticeLevel): NoticeEvent => ({
  type: "notice",
  code: "cli_message",
  message,
  ...(level && { level }),
});

const levelOfPriority = new Map<string, NoticeLevel>([
  ["low", "info"],
  ["medium", "notice"],
  ["high", "warning"],
  ["immediate", "warning"],
]);

function pluginEvent({ name, status, error }: Of<"plugin_install">): EngineEvent {
  if (status === "failed") {
    const which = name === undefined ? "A plugin" : `The plugin ${name}`;
    const why = error ?? "Claude Code gave no reason";
    return words(`${which} could not be installed: ${why}`, "warning");
  }
  // `installed` reports one plugin, `completed` the last.
  const state = status === "installed" ? "progress" : knownWord(["started", "completed"], status);
  return { type: "progress", of: "plugin_install", state, ...(name !== undefined && { name }) };
}

function filesEvent({ failed = [] }: Partial<Of<"files_persisted">>): EngineEvent {
  if (failed.length === 0) return { type: "progress", of: "files_persisted", state: "completed" };
  const which = failed.map(({ filename, error }) => `${filename} (${error})`).join(", ");
  return words(`Claude Code could not save: ${which}`, "warning");
}

/** Progress of a request to the CLI that calls the model on the side. */
function controlEvent(message: Of<"control_request_progress">): EngineEvent {
  const status = knownWord(["started", "api_retry"], message.status);
  if (status === "api_retry") return retryEvent(message);
  return { type: "progress", of: "control_request", state: status };
}
