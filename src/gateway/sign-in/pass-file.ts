import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { describeFileError } from "../../files/describe-file-error.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { systemCode } from "../../files/system-error-code.ts";
import type { Logger } from "../../log/logger.ts";

const time = z.int().min(0);
const print = z.string().regex(/^[0-9a-f]{64}$/);

const PassSchema = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string(),
  role: z.enum(["owner", "viewer"]),
  madeAt: time,
  endsAt: time.optional(),
  state: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("open"), token: print, until: time }),
    z.object({ kind: z.literal("used"), cookie: print, key: print, seenAt: time, until: time }),
  ]),
});

/** What a gateway remembers from one start to the next. */
const MemorySchema = z.object({
  /** A part of the cookie's name: cookies are shared by all ports of an address. */
  instance: z.string().regex(/^[0-9a-f]{8}$/),
  /** Browsers keep their half of the key for one port. */
  port: z.int().min(1).max(65_535).optional(),
  passes: z.array(PassSchema),
});
export type GatewayMemory = z.infer<typeof MemorySchema>;

/** Reads what the last start has left. A file that cannot be read lets nobody in: everybody needs a new link. */
export function readMemory(path: string, logger: Logger): GatewayMemory {
  try {
    return MemorySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") {
      logger.warn(
        { path, why: describeFileError(error) },
        "The sign-ins are lost: every user needs a new link.",
      );
    }
    return { instance: randomBytes(4).toString("hex"), passes: [] };
  }
}

/** Only its owner can read it, and it is on the disk when this returns: a link that was used stays used. */
export function writeMemory(path: string, memory: GatewayMemory): void {
  replaceFile(path, `${JSON.stringify(memory)}\n`, { durable: true });
}
