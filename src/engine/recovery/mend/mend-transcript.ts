import { join } from "node:path";
import type { FileRow } from "./file-rows.ts";
import { fileRows, isLink } from "./file-rows.ts";
import { leadsNowhere, linkIds } from "./join-chain.ts";
import type { MendedRows } from "./mend-rows.ts";
import { mendRows } from "./mend-rows.ts";
import type { LoggedTurn } from "./logged-turns.ts";
import type { RowPlace } from "./make-rows.ts";

/** The repaired transcript, and what was changed. */
export interface MendedTranscript extends Omit<MendedRows, "rows"> {
  bytes: Buffer;
  /** Rows that were on the same line as an unfinished one. */
  hidden: number;
}

/**
 * Repairs the CLI's transcript from our log; returns undefined when nothing is wrong with it.
 *
 * @param bytes The current file; undefined when there is none.
 */
export function mendTranscript(
  bytes: Buffer | undefined,
  turns: readonly LoggedTurn[],
  place: RowPlace,
): MendedTranscript | undefined {
  const { rows: found, hidden } = fileRows(bytes ?? Buffer.alloc(0));
  const { rows, ...mended } = mendRows(found, turns, placeLike(found, place));
  if (mended.messages.length + mended.others + mended.joined + hidden === 0) return undefined;
  return { ...mended, hidden, bytes: Buffer.concat(rows.flatMap(lineOf)) };
}

/**
 * Where the CLI looks for a new session's transcript. The CLI finds a session by its id in every folder, so a folder
 * name that it would have shortened differently works as well.
 */
export const newTranscriptPath = (configDir: string, cwd: string, sessionId: string): string => {
  const folder = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-").slice(0, MAX_FOLDER_CHARS);
  return join(configDir, "projects", folder, `${sessionId}.jsonl`);
};

const MAX_FOLDER_CHARS = 200;
const NEWLINE = Buffer.from("\n");

const lineOf = ({ row, line }: FileRow): Buffer[] => [
  line ?? Buffer.from(JSON.stringify(row)),
  NEWLINE,
];

/** New rows name the version and the branch that the session's own rows name. */
function placeLike(rows: readonly FileRow[], place: RowPlace): RowPlace {
  const last = rows.findLast(({ row }) => row.version !== undefined)?.row;
  const { version = place.version, gitBranch = place.gitBranch } = last ?? {};
  return { ...place, version, gitBranch };
}

/** Whether the file itself shows no loss of rows. Only our log knows whether everything is there. */
export function isUnbroken(bytes: Buffer): boolean {
  const { rows, hidden } = fileRows(bytes);
  const known = linkIds(rows);
  return hidden === 0 && !rows.some((row) => isLink(row) && leadsNowhere(row, known));
}
