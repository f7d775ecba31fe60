import { readFileSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import { SCHEMA_FILE_PREFIX } from "../../wire/ipc-files.ts";
import type { JsonObject } from "../../wire/json.ts";

const ArgumentsSchema = z.array(z.string());
const ToolsSchema = z.array(z.object({ name: z.string() }));

/** The tools that a bridge offers, from its schema file. For any other server they are unknown. */
export function bridgeTools(server: JsonObject | undefined): string[] {
  const args = ArgumentsSchema.safeParse(server?.["args"]).data ?? [];
  const file = args.find((each) => basename(each).startsWith(SCHEMA_FILE_PREFIX));
  if (file === undefined) return [];
  try {
    return ToolsSchema.parse(JSON.parse(readFileSync(file, "utf8"))).map(({ name }) => name);
  } catch {
    // Its host is gone, or the file holds no list of tools: that may be why the bridge failed.
    return [];
  }
}
