import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import type { FileChange, Hunk } from "../../client/index.ts";
import { textContent } from "./text-content.ts";

type JsonInput = Readonly<Record<string, unknown>>;

export const absolute = (path: string, cwd: string): string =>
  isAbsolute(path) ? path : resolve(cwd, path);

/** The lines of one side. `\\ No newline at end of file` is about the line before it, which may be of the other side. */
function sideOf({ lines }: Hunk, signs: string): string {
  const taken: string[] = [];
  let isTaken = false;
  let endsOpen = false;
  for (const line of lines) {
    const sign = line.slice(0, 1);
    if (sign === "\\") {
      endsOpen ||= isTaken;
      continue;
    }
    isTaken = signs.includes(sign);
    if (isTaken) taken.push(line.slice(1));
  }
  const end = endsOpen || taken.length === 0 ? "" : "\n";
  return taken.join("\n") + end;
}

function diffOf(path: string, change: FileChange, hunk: Hunk): ToolCallContent {
  const oldText = change.kind === "add" ? null : sideOf(hunk, " -");
  return { type: "diff", path, oldText, newText: sideOf(hunk, " +") };
}

/** What a call changes in files, as the session compares or reports it: a diff for each place. */
export function diffsOfChanges(changes: readonly FileChange[], cwd: string): ToolCallContent[] {
  return changes.flatMap((change) => {
    const path = absolute(change.path, cwd);
    const diffs = (change.hunks ?? []).map((hunk) => diffOf(path, change, hunk));
    return change.truncated ? [...diffs, textContent("… more changes are not shown.")] : diffs;
  });
}

/** Where the changes are. */
export const locationsOfChanges = (
  changes: readonly FileChange[],
  cwd: string,
): ToolCallLocation[] =>
  changes.flatMap(({ path, hunks = [] }) =>
    hunks.map(({ new_start: line }) => ({ path: absolute(path, cwd), line: Math.max(line, 1) })),
  );

/** What the model has written, before the session has compared it with the file. */
export function diffsOfInput(tool: string, input: JsonInput, cwd: string): ToolCallContent[] {
  const { file_path: file, old_string: oldText, new_string: newText, content } = input;
  if (typeof file !== "string") return [];
  const path = absolute(file, cwd);
  if (tool === "Write" && typeof content === "string") {
    return [{ type: "diff", path, oldText: null, newText: content }];
  }
  if (tool !== "Edit" || typeof oldText !== "string" || typeof newText !== "string") return [];
  return [{ type: "diff", path, oldText, newText }];
}
