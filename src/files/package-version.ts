import { readFileSync } from "node:fs";
import * as z from "zod";

const file = new URL("../../package.json", import.meta.url);

/** The version of this package, as its package.json says it. */
export const packageVersion = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(file, "utf8"))).version;
