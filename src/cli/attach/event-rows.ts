import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import { DEFAULT_DENIAL } from "../../wire/session/commands.ts";
import { cleanText } from "./clean-text.ts";
import { elicitationRows } from "./elicitation-form.ts";
import type { Paint } from "./terminal-formats.ts";
import { wrap } from "./text-width.ts";

/** Rows for events that are neither running text nor a tool. Most events need none. */
export function eventRows(
  event: SessionEvent,
  paint: Paint,
  columns: number,
  isRehearsal = false,
): string[] {
  const rows = (text: string, indent = "  "): string[] =>
    cleanText(text)
      .split("\n")
      .flatMap((line, index) => wrap(index === 0 ? line : indent + line, columns, indent));
  const warn = (text: string): string[] => rows(`! ${text}`).map((row) => paint("yellow", row));
  const aside = (text: string): string[] => rows(`  ${text}`).map((row) => paint("dim", row));
  switch (event.type) {
    case "user_message":
      return ["", ...rows(`› ${speech(event)}`).map((row) => paint("bold", row)), ""];
    case "message_dropped":
      return aside(`A message was dropped (${event.reason}).`);
    case "turn_started":
      if (event.cause === "background")
        return aside("A background task has ended; the model goes on.");
      return event.cause === "resume" ? aside("The turn was cut off and goes on.") : [];
    case "retracted":
      return aside("The answer was cut off; the model begins it again.");
    case "question":
      return event.questions.flatMap(({ question }) => rows(`? ${question}`));
    case "elicitation":
      return elicitationRows(event, paint).flatMap((row) => wrap(row, columns, "  "));
    case "approval_resolved":
      return rows(`  ${decisionLine(event)}`).map((row) =>
        paint(event.outcome === "allowed" ? "green" : "red", row),
      );
    case "todo":
      return event.parent === undefined ? event.items.map((item) => todoRow(item, paint)) : [];
    case "subagent_started": {
      const about = event.description ?? event.agent;
      return aside(about === undefined ? "A sub-agent begins." : `A sub-agent begins: ${about}.`);
    }
    case "subagent_ended":
      return aside(`The sub-agent has ${event.outcome}.`);
    case "retry": {
      const wait = Math.round(event.delay_ms / 1000);
      return warn(`The API failed (${event.code}); try ${event.attempt + 1} in ${wait} s.`);
    }
    case "compacting":
      return aside("A summary of the conversation is being made.");
    case "compacted":
      return aside("The conversation was replaced by a summary to make room.");
    case "mode_changed":
      return aside(`Mode: ${event.mode}${by(event)}`);
    case "model_changed":
      return aside(`Model: ${event.model}${event.effort ? `, ${event.effort}` : ""}${by(event)}`);
    case "session_changed":
      // The greeting covers the first session of a log.
      return event.previous === undefined ? [] : aside("A new session begins.");
    case "mcp_status":
      return event.servers
        .filter(({ status }) => status === "failed")
        .flatMap(({ name, error }) =>
          warn(`MCP server ${name} failed${error ? `: ${error}` : ""}.`),
        );
    case "notice": {
      const { message, hint, request_id } = event;
      // How to answer a request is shown with its question.
      const text = hint === undefined || request_id !== undefined ? message : `${message}\n${hint}`;
      return event.level === "info" ? aside(text) : warn(text);
    }
    case "error":
      return rows(`error: ${event.message} (${event.code})\n${event.hint}`).map((row) =>
        paint("red", row),
      );
    case "done":
      return rows(`  ${doneLine(event, isRehearsal)}`).map((row) =>
        paint(event.stop_reason === "completed" ? "dim" : "yellow", row),
      );
    case "closing":
      return warn(
        `The session ends (${event.reason})${event.message ? `: ${event.message}` : "."}`,
      );
    default:
      return [];
  }
}

function speech(event: SessionEventOf<"user_message">): string {
  const who = event.from === undefined ? "" : `${event.from}: `;
  const words =
    event.content?.map((block) =>
      block.type === "text" ? stored(block.text) : `[${block.type}]`,
    ) ?? (event.text === undefined ? [] : [stored(event.text)]);
  return who + words.join("\n");
}

const stored = (text: string | { preview: string }): string =>
  typeof text === "string" ? text : `${text.preview}…`;

const by = (event: { by?: string | undefined }): string =>
  event.by === undefined ? "" : ` (by ${event.by})`;

function decisionLine(event: SessionEventOf<"approval_resolved">): string {
  const answers = Object.entries(event.answers ?? {}).map(([, answer]) => String(answer));
  const words = {
    allowed: answers.length > 0 ? `✓ ${answers.join("; ")}` : "✓ allowed",
    denied: "✗ denied",
    timed_out: "✗ denied: not answered in time",
    superseded: "↻ will be asked again",
    aborted: "✗ not answered: the turn has ended",
  }[event.outcome];
  const scope = event.scope === undefined || event.scope === "once" ? "" : ` (${event.scope})`;
  const { reason: why = DEFAULT_DENIAL } = event;
  const reason = event.outcome === "denied" && why !== DEFAULT_DENIAL ? `: ${why}` : "";
  const who =
    event.rule === undefined ? by(event).replace(/ \((.*)\)/, " $1") : ` by policy ${event.rule}`;
  return cleanText(words + scope + who + reason + changeOf(event)).replaceAll("\n", " ");
}

/** What ran in place of the requested call. */
function changeOf({ updated_input: ran }: SessionEventOf<"approval_resolved">): string {
  if (!ran) return "";
  const { command } = ran;
  return `, changed to: ${typeof command === "string" ? command : JSON.stringify(ran)}`;
}

function todoRow(
  { content, status, active_form }: SessionEventOf<"todo">["items"][number],
  paint: Paint,
): string {
  const text = cleanText(content).replaceAll("\n", " ");
  if (status === "completed") return paint("dim", `  ☑ ${text}`);
  if (status === "pending") return `  ☐ ${text}`;
  return paint("bold", `  ▸ ${active_form === undefined ? text : cleanText(active_form)}`);
}

function doneLine(event: SessionEventOf<"done">, isRehearsal: boolean): string {
  const { input_tokens, output_tokens, cache_read_input_tokens = 0 } = event.usage;
  const tokens = input_tokens + cache_read_input_tokens + output_tokens;
  const facts = [
    ...(event.stop_reason === "completed" ? [] : [event.stop_reason.replaceAll("_", " ")]),
    `${(event.duration_ms / 1000).toFixed(1)} s`,
    // Nothing is known of a turn that was cut off.
    ...(tokens > 0 ? [`${input_tokens + cache_read_input_tokens} in, ${output_tokens} out`] : []),
    ...(event.cost_usd > 0
      ? [`$${event.cost_usd.toFixed(4)}${isRehearsal ? " (rehearsed: nothing was paid)" : ""}`]
      : []),
  ];
  return facts.join(" · ");
}
