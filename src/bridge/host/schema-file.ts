import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { SCHEMA_FILE_PERMISSIONS } from "../../wire/ipc-files.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** Replaces the file in one step: a bridge that reads meanwhile gets the old tools or the new ones. */
export function writeSchemaFile(path: string, schemas: readonly ToolSchema[]): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    // Never through a link that somebody laid there.
    writeFileSync(draft, JSON.stringify(schemas), { mode: SCHEMA_FILE_PERMISSIONS, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
