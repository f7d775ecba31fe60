import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { messageTooLarge } from "../../wire/codec-errors.ts";
import { SCHEMA_FILE_PERMISSIONS } from "../../wire/ipc-files.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/payload.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** Replaces the file in one step: a bridge that reads meanwhile gets the old tools or the new ones. */
export function writeSchemaFile(path: string, schemas: readonly ToolSchema[]): void {
  const text = JSON.stringify(schemas);
  if (text.length > MAX_MESSAGE_BYTES) {
    throw messageTooLarge(
      `A list of tools of ${text.length} characters`,
      text.length,
      MAX_MESSAGE_BYTES,
    );
  }
  const draft = `${path}.${randomUUID()}`;
  try {
    // Never through a link that somebody laid there.
    writeFileSync(draft, text, { mode: SCHEMA_FILE_PERMISSIONS, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
