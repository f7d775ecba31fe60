import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";

/** Names a state directory among those of all machines on which the team's office has been. */
export function ownOfficeId(stateDir: string): string {
  const file = join(stateDir, "office-id");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const id = randomBytes(8).toString("hex");
  replaceFile(file, `${id}\n`, { durable: true });
  return id;
}
