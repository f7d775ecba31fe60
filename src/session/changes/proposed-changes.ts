import { resolve } from "node:path";
import type { JsonObject } from "../../wire/json.ts";
import type { FileChange } from "../../wire/session/file-change.ts";
import { applyEdit } from "./apply-edit.ts";
import { shortenChange } from "./shorten-change.ts";
import { changeBetween } from "./changes-as-hunks.ts";
import { cellSource } from "./source-of-notebook-cell.ts";
import { readText } from "./read-text-file.ts";

/**
 * What a call would change if it ran now, for the person who is asked; undefined for a tool that says nothing of files. It
 * is computed at once, so that nothing can happen between the question and its record; what it may read is bounded. Never
 * throws: a request is asked without it rather than not at all.
 */
export function proposedChanges(
  { tool, input }: { readonly tool: string; readonly input: JsonObject },
  cwd: string,
): FileChange[] | undefined {
  try {
    const change = changeOf(tool, input, cwd);
    return change && [change];
  } catch {
    return undefined;
  }
}

function changeOf(tool: string, input: JsonObject, cwd: string): FileChange | undefined {
  const { file_path, notebook_path } = input;
  if (tool === "NotebookEdit") {
    if (typeof notebook_path !== "string") return undefined;
    return cellChange(resolve(cwd, notebook_path), input);
  }
  if (typeof file_path !== "string") return undefined;
  const path = resolve(cwd, file_path);
  if (tool === "Write") return written(path, input);
  return tool === "Edit" ? edited(path, input) : undefined;
}

function written(path: string, { content }: JsonObject): FileChange | undefined {
  if (typeof content !== "string") return undefined;
  const now = readText(path);
  if (now.state === "unknown") return { path, kind: "edit", problem: now.problem };
  const before = now.state === "text" ? now.text : "";
  const kind = now.state === "text" ? "edit" : "add";
  return { path, kind, ...shortenChange(changeBetween(before, content), path) };
}

function edited(path: string, input: JsonObject): FileChange {
  const now = readText(path);
  if (now.state === "unknown") return { path, kind: "edit", problem: now.problem };
  const isNew = now.state === "absent";
  const kind = isNew ? "add" : "edit";
  const before = isNew ? "" : now.text.replaceAll("\r\n", "\n");
  const after = applyEdit(before, input);
  if ("problem" in after) return { path, kind, problem: after.problem };
  return { path, kind, ...shortenChange(changeBetween(before, after.text), path) };
}

function cellChange(path: string, input: JsonObject): FileChange {
  const { cell_id, new_source, edit_mode } = input;
  const edit = edit_mode === "insert" || edit_mode === "delete" ? edit_mode : "replace";
  const id = typeof cell_id === "string" ? cell_id : undefined;
  const about = { path, kind: "edit", cell: { ...(id !== undefined && { id }), edit } } as const;
  const now = readText(path);
  if (now.state !== "text") {
    return { ...about, problem: now.state === "unknown" ? now.problem : "unreadable" };
  }
  const known = id === undefined ? undefined : cellSource(now.text, id);
  // A new cell needs none; or it comes after the one that is named.
  if (known === undefined && (edit !== "insert" || id !== undefined)) {
    return { ...about, problem: "no_match" };
  }
  const before = edit === "insert" ? "" : (known ?? "");
  const after = edit === "delete" || typeof new_source !== "string" ? "" : new_source;
  return { ...about, ...shortenChange(changeBetween(before, after), path) };
}
