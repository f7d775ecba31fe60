import { randomUUID } from "node:crypto";
import { replaceFile } from "../../files/replace-file.ts";
import { messageTooLarge } from "../../wire/codec-errors.ts";
import { SCHEMA_FILE_PERMISSIONS } from "../../wire/ipc-files.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
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
  // Its name is a secret, so that no other user can put a file of his own there before.
  const draft = `${path}.${randomUUID()}`;
  replaceFile(path, text, { durable: false, mode: SCHEMA_FILE_PERMISSIONS, draft });
}
