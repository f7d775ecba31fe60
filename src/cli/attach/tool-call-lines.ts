import type { BlobRef, StoredText } from "../../wire/blob.ts";
import type { JsonObject, JsonValue } from "../../wire/json.ts";
import type { FileChange } from "../../wire/session/file-change.ts";
import { brief, cleanText } from "./clean-text.ts";
import type { Paint } from "./terminal-formats.ts";
import { wrap } from "./text-width.ts";

const MAX_DIFF_LINES = 8;
const MAX_CALL_ROWS = 40;

/** The most telling field of a call, for the common tools. */
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

/** A server's tool in readable form. */
const nameOf = (tool: string): string => cleanText(tool).replace(/^mcp__(.+?)__(.+)$/, "$1: $2");

function about(input: JsonObject): string {
  const field = tellingField(input);
  const value = field === undefined ? undefined : input[field];
  const text = typeof value === "string" ? value : JSON.stringify(input);
  return text === "{}" ? "" : text;
}

const tellingField = (input: JsonObject): string | undefined =>
  tellingFields.find((field) => typeof input[field] === "string" && input[field] !== "");

/**
 * All of what a person is asked to allow: the rest of the main field, and every other field that `diffRows` does not
 * show in full, a text of several lines as it is and the rest as JSON. What is left out is counted.
 */
export function wholeCall(
  tool: string,
  input: JsonObject,
  columns: number,
  changes?: readonly FileChange[],
): string[] {
  const telling = cleanText(about(input)).trim();
  const isInLine = callLine(tool, input, columns - 2).endsWith(telling);
  const main = tellingField(input);
  const inDiff = shownFields(tool, input, changes);
  const others = Object.entries(input).filter(
    ([name]) => main !== undefined && name !== main && !inDiff.includes(name),
  );
  return [
    ...(isInLine ? [] : cutRows(telling, columns)),
    ...others.flatMap(([name, value]) => fieldRows(cleanText(name), value, columns)),
  ];
}

/** Lines of a text are indented, so that none of them looks like another field. */
function fieldRows(name: string, value: JsonValue, columns: number): string[] {
  if (typeof value !== "string" || !value.includes("\n")) {
    return cutRows(`${name}: ${cleanText(JSON.stringify(value))}`, columns);
  }
  return [...cutRows(`${name}:`, columns), ...cutRows(cleanText(value), columns, "  ")];
}

function cutRows(text: string, columns: number, indent = ""): string[] {
  const rows = text.split("\n").flatMap((line) => wrap(indent + line, columns - 4, indent));
  const shown = rows.slice(0, MAX_CALL_ROWS).map((row) => `    ${row}`);
  const hidden = rows.length - shown.length;
  return hidden > 0 ? [...shown, `    … ${hidden} more rows are not shown`] : shown;
}

/** What an edit would change, shortened: enough to see what is allowed. */
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

/** The fields that need no row, because the changes or the diff show them. */
function shownFields(
  tool: string,
  input: JsonObject,
  changes: readonly FileChange[] | undefined,
): readonly string[] {
  if (!changes) return shownInDiff(tool, input);
  return changes.every(({ problem }) => problem === undefined) ? fieldsOfChanges : [];
}

/** The fields that the session has compared with the file: its changes show what they do. */
const fieldsOfChanges = [
  "old_string",
  "new_string",
  "replace_all",
  "content",
  "new_source",
  "cell_id",
  "edit_mode",
];

/** The fields of which `diffRows` shows every line. */
function shownInDiff(tool: string, input: JsonObject): string[] {
  const { old_string, new_string, content } = input;
  const isShort = (text: string) => linesOf(text).length <= MAX_DIFF_LINES;
  if (tool === "Write" && typeof content === "string") {
    // A diff cannot show an empty content.
    return content !== "" && isShort(content) ? ["content"] : [];
  }
  if (typeof old_string !== "string" || typeof new_string !== "string") return [];
  const [old, fresh] = [linesOf(old_string), linesOf(new_string)];
  // Unchanged lines at the ends are not in a diff.
  const hasSame = old.length > 0 && (old[0] === fresh[0] || old.at(-1) === fresh.at(-1));
  const isWhole = !hasSame && isShort(old_string) && isShort(new_string);
  return isWhole ? ["old_string", "new_string"] : [];
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

/** The result of a call in one line. */
export function resultLine(output: StoredText, columns: number): string {
  const text = cleanText(typeof output === "string" ? output : output.preview).trim();
  if (typeof output !== "string") return `${sizeOf(output)}: ${brief(text, columns - 20)}`;
  if (text === "") return "(no output)";
  const lines = text.split("\n").length;
  return lines === 1 ? brief(text, columns) : `${brief(text, columns - 14)} (${lines} lines)`;
}

/** Whether its line leaves something out. */
export const isFolded = (output: StoredText, columns: number): boolean =>
  typeof output !== "string" ||
  (output.trim() !== "" && resultLine(output, columns) !== cleanText(output).trim());

const sizeOf = ({ bytes }: BlobRef): string => `${Math.round(bytes / 1024)} KB`;
