import type {
  MemoryRecalledEvent,
  ProgressEvent,
  ToolSummaryEvent,
} from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import { cutText } from "../../../text/cut-text.ts";

/** A memory without a file is a paragraph; this is a page. */
const MAX_MEMORY_CHARS = 4_000;

type Aside = MemoryRecalledEvent | ProgressEvent | ToolSummaryEvent;

/** Notices for people about what the CLI does beside the conversation; `data.kind` names it. */
export function translateCliNotice(event: Aside): EventDraft[] {
  switch (event.type) {
    case "tool_summary": {
      const { request_ids, text } = event;
      return [inPassing(text, { kind: "tool_use_summary", request_ids })];
    }
    case "memory_recalled": {
      const memories = event.memories.map(({ content, ...memory }) => ({
        ...memory,
        ...(content !== undefined && { content: cutText(content, MAX_MEMORY_CHARS) }),
      }));
      const paths = memories.map(({ path }) => path).join(", ");
      return [inPassing(`Recalled from memory: ${paths}`, { kind: "memory_recall", memories })];
    }
    default:
      return translateProgress(event);
  }
}

/** `model_request` is covered by `status`; `control_request` never occurs here. */
function translateProgress({ of: kind, state, name }: ProgressEvent): EventDraft[] {
  const data = { kind, state, ...(name !== undefined && { name }) };
  if (kind === "elicitation") return [inPassing(`${name} has what it asked for.`, data)];
  if (kind !== "plugin_install") return [];
  if (state === "progress") return [inPassing(`The plugin ${name} is installed.`, data)];
  const words = state === "started" ? "Plugins are being installed." : "The plugins are installed.";
  return [inPassing(words, data)];
}

const inPassing = (message: string, data: JsonObject): EventDraft => ({
  type: "notice",
  code: "cli_message",
  level: "info",
  message,
  data,
});
