import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { RecordedCall, Transcript } from "./transcript.ts";

const DEFERRED_KIND = "hook_deferred_tool";
/** Of the same length, so that nothing in the file moves. */
const UNKNOWN_KIND = "hook_deferred_gone";

/**
 * Appends the CLI's own record of a deferred call after a call that was never decided. When the CLI resumes without a
 * prompt, it then asks for permission again, under the same id, instead of telling the model that the outcome is
 * unknown. The CLI must not be running: it does not lock its file.
 */
export function parkCall(transcript: Transcript, call: RecordedCall, now = new Date()): void {
  const { row } = call;
  const record = {
    parentUuid: row.uuid,
    isSidechain: false,
    attachment: {
      type: DEFERRED_KIND,
      toolUseID: call.request_id,
      toolName: call.tool,
      toolInput: call.input,
      hookName: "settings",
      hookEvent: "PreToolUse",
      permissionMode: "default",
    },
    type: "attachment",
    uuid: randomUUID(),
    timestamp: now.toISOString(),
    userType: row.userType,
    entrypoint: row.entrypoint,
    cwd: row.cwd,
    sessionId: row.sessionId,
    version: row.version,
    gitBranch: row.gitBranch,
  };
  appendLine(transcript.path, JSON.stringify(record));
}

/**
 * Undoes `parkCall` for calls that have been decided since: the CLI would ask about them again. Later rows may link
 * through a record, so it stays in place, with a kind that the CLI does not know.
 */
export function unparkCalls({ path, parked, results }: Transcript, but?: RecordedCall): void {
  const stale = parked.filter(
    ({ request_id }) => !results.has(request_id) && request_id !== but?.request_id,
  );
  if (stale.length === 0) return;
  const file = openSync(path, "r+");
  try {
    for (const { offset, line } of stale) {
      writeSync(file, UNKNOWN_KIND, offset + line.indexOf(DEFERRED_KIND));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Ends a torn last line first, so that it cannot swallow the record. */
function appendLine(path: string, line: string): void {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const torn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    writeSync(file, `${torn ? "\n" : ""}${line}\n`, size);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
