import type { BlobRef, StoredText } from "../../wire/blob.ts";
import type { JsonObject } from "../../wire/json.ts";
import { brief, cleanText } from "./clean-text.ts";
import type { Paint } from "./paint.ts";
import { wrap } from "./text-width.ts";

const MAX_DIFF_LINES = 8;
const MAX_CALL_ROWS = 40;

/** The field that says most about a call, for the tools that everybody has. */
const tellingFields = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "url",
  "query",
  "description",
  "subject",
  "path",
  "skill",
];

/** A call in one line: the tool and what it is about. */
export function callLine(tool: string, input: JsonObject | undefined, columns: number): string {
  const name = nameOf(tool);
  const telling = input === undefined ? "" : about(input);
  const room = Math.max(columns - name.length - 4, 20);
  return telling === "" ? name : `${name}  ${brief(telling, room)}`;
}

/** A server's tool is shown as people speak of it. */
const nameOf = (tool: string): string => cleanText(tool).replace(/^mcp__(.+?)__(.+)$/, "$1: $2");

function about(input: JsonObject): string {
  for (const field of tellingFields) {
    const value = input[field];
    if (typeof value === "string" && value !== "") return value;
  }
  const text = JSON.stringify(input);
  return text === "{}" ? "" : text;
}

/** All that a call is about, where its line does not hold it; what is left out is counted. */
export function wholeCall(tool: string, input: JsonObject, columns: number): string[] {
  const telling = cleanText(about(input)).trim();
  if (callLine(tool, input, columns - 2).endsWith(telling)) return [];
  const rows = telling.split("\n").flatMap((line) => wrap(line, columns - 4));
  const shown = rows.slice(0, MAX_CALL_ROWS).map((row) => `    ${row}`);
  const hidden = rows.length - shown.length;
  return hidden > 0 ? [...shown, `    … ${hidden} more rows are not shown`] : shown;
}

/** What an edit would change, cut short: enough to see what one allows. */
export function diffRows(tool: string, input: JsonObject | undefined, paint: Paint): string[] {
  if (!input) return [];
  const { old_string, new_string, content, edits } = input;
  if (tool === "Write" && typeof content === "string") return changed("", content, paint);
  if (typeof old_string === "string" && typeof new_string === "string") {
    return changed(old_string, new_string, paint);
  }
  if (!Array.isArray(edits)) return [];
  return edits.flatMap((edit) =>
    diffRows("Edit", typeof edit === "object" && !Array.isArray(edit) ? (edit ?? {}) : {}, paint),
  );
}

function changed(before: string, after: string, paint: Paint): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...short(old.slice(head, old.length - tail)).map((line) => paint("red", `- ${line}`)),
    ...short(fresh.slice(head, fresh.length - tail)).map((line) => paint("green", `+ ${line}`)),
  ];
}

const linesOf = (text: string): string[] =>
  text === "" ? [] : cleanText(text).replace(/\n$/, "").split("\n");

function short(lines: readonly string[]): string[] {
  if (lines.length <= MAX_DIFF_LINES) return [...lines];
  const rest = lines.length - MAX_DIFF_LINES + 1;
  return [...lines.slice(0, MAX_DIFF_LINES - 1), `… ${rest} more lines`];
}

/** What came of a call, in one line. */
export function resultLine(output: StoredText, columns: number): string {
  const text = cleanText(typeof output === "string" ? output : output.preview).trim();
  if (typeof output !== "string") return `${sizeOf(output)}: ${brief(text, columns - 20)}`;
  if (text === "") return "(no output)";
  const lines = text.split("\n").length;
  return lines === 1 ? brief(text, columns) : `${brief(text, columns - 14)} (${lines} lines)`;
}

const sizeOf = ({ bytes }: BlobRef): string => `${Math.round(bytes / 1024)} KB`;
