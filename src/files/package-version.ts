import { readFileSync } from "node:fs";
import { isRecord } from "../wire/json.ts";

const file = new URL("../../package.json", import.meta.url);

/** The version of this package, as its package.json says it. */
export const packageVersion: string = versionIn(JSON.parse(readFileSync(file, "utf8")));

// Every command reads it at its start, and a library for schemas takes longer to load than the command itself.
function versionIn(manifest: unknown): string {
  if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"];
  throw new Error("The package.json of this package has no version.");
}
