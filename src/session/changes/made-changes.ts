import type { JsonObject, JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { FileChange, Hunk } from "../../wire/session/file-change.ts";
import { applyEdit } from "./apply-edit.ts";
import { shortenChange } from "./shorten-change.ts";
import type { TextChange } from "./changes-as-hunks.ts";
import { changeBetween } from "./changes-as-hunks.ts";

/**
 * What a call has changed, as Claude Code reports it beside the result; undefined if it reports nothing of files. A call
 * of another tool cannot pass for one: only Claude Code's own tools have these fields. Never throws.
 */
export function madeChanges(detail: JsonValue | undefined): FileChange[] | undefined {
  if (!isRecord(detail)) return undefined;
  try {
    const change = changeOf(detail);
    return change && [change];
  } catch {
    return undefined;
  }
}

function changeOf(detail: JsonObject): FileChange | undefined {
  const { filePath: path, notebook_path: notebook, structuredPatch: patch, staged } = detail;
  if (typeof notebook === "string" && notebook !== "") return cellChange(notebook, detail);
  // A staged change waits for the owner of the machine: the file is as it was.
  if (typeof path !== "string" || path === "" || !Array.isArray(patch) || staged === true) {
    return undefined;
  }
  const isNew =
    detail["type"] === "create" || (detail["oldString"] === "" && !detail["originalFile"]);
  const kind = isNew ? "add" : "edit";
  const told = reported(patch);
  const compared = textChange(detail, isNew);
  const change = compared && told && !isSame(compared, told) ? told : (compared ?? told);
  if (!change) return { path, kind, problem: "too_large" };
  return { path, kind, ...shortenChange(change, path) };
}

/** From the texts before and after: the reported patch has blanks in place of tabs, and a new file has none. */
function textChange(detail: JsonObject, isNew: boolean): TextChange | undefined {
  const { originalFile, content, oldString, newString, replaceAll } = detail;
  const before = isNew ? "" : originalFile;
  if (typeof before !== "string") return undefined;
  if (typeof content === "string") return changeBetween(before, content);
  const text = before.replaceAll("\r\n", "\n");
  const input = {
    old_string: oldString ?? "",
    new_string: newString ?? "",
    replace_all: replaceAll ?? false,
  };
  const after = applyEdit(text, input);
  return "text" in after ? changeBetween(text, after.text) : undefined;
}

/** Whether both say the same, but for tabs. Claude Code changes quotes as it writes: then only its own patch is right. */
function isSame(ours: TextChange, theirs: TextChange): boolean {
  return (["+", "-"] as const).every((mark) => linesWith(mark, ours) === linesWith(mark, theirs));
}

const linesWith = (mark: "+" | "-", { hunks }: TextChange): string =>
  hunks
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith(mark)))
    .map((line) => line.slice(1).replace(/^\t+/, (tabs) => "  ".repeat(tabs.length)))
    .join("\n");

/** Undefined if Claude Code did not compare the texts. */
function reported(patch: readonly JsonValue[]): TextChange | undefined {
  const hunks = patch.flatMap((each) => (isRecord(each) ? hunkOf(each) : []));
  if (hunks.length === 0) return undefined;
  const count = (mark: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((each) => each.startsWith(mark)).length, 0);
  return { hunks, added: count("+"), removed: count("-") };
}

function hunkOf({ oldStart, oldLines, newStart, newLines, lines }: JsonObject): Hunk[] {
  const numbers = [oldStart, oldLines, newStart, newLines].map(Number);
  const [old_start = 0, old_lines = 0, new_start = 0, new_lines = 0] = numbers;
  if (numbers.some((each) => !Number.isSafeInteger(each) || each < 0)) return [];
  if (!Array.isArray(lines)) return [];
  return [
    {
      // A side without lines is named by the line before it.
      old_start: old_lines === 0 ? Math.max(old_start - 1, 0) : old_start,
      old_lines,
      new_start: new_lines === 0 ? Math.max(new_start - 1, 0) : new_start,
      new_lines,
      lines: lines.map(String),
    },
  ];
}

function cellChange(path: string, detail: JsonObject): FileChange | undefined {
  const { cell_id, edit_mode, old_source, new_source, error } = detail;
  if (typeof error === "string" && error !== "") return undefined;
  const edit = edit_mode === "insert" || edit_mode === "delete" ? edit_mode : ("replace" as const);
  const cell: FileChange["cell"] = { ...(typeof cell_id === "string" && { id: cell_id }), edit };
  const before = typeof old_source === "string" && edit !== "insert" ? old_source : "";
  const after = typeof new_source === "string" && edit !== "delete" ? new_source : "";
  return { path, kind: "edit", cell, ...shortenChange(changeBetween(before, after), path) };
}
