import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LogIdSchema, SeqSchema } from "../../wire/ids.ts";
import { parseJson } from "../../wire/payload.ts";
import { encodeUtf8 } from "../../wire/utf8.ts";
import { replaceFile } from "./durable-file.ts";
import { damaged } from "./log-errors.ts";

const FILE = "log.json";

const IdentitySchema = z.object({
  version: z.literal(1),
  log_id: LogIdSchema,
  /** The first event that each epoch could write: the first entry is that of epoch 1. */
  epochs: z.array(SeqSchema),
});

/** Which log it is, and where each of its epochs began. */
export type Identity = z.infer<typeof IdentitySchema>;

/** Undefined when there is none yet. */
export function readIdentity(directory: string): Identity | undefined {
  const path = join(directory, FILE);
  if (!existsSync(path)) return undefined;
  const parsed = parseJson(readFileSync(path));
  const checked = IdentitySchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!checked.success) throw damaged(path, 0, "it does not say which log this is");
  return checked.data;
}

export const newIdentity = (logId: string = randomUUID()): Identity => ({
  version: 1,
  log_id: logId,
  epochs: [],
});

/** Begins an epoch, on disk before anything is written in it. */
export function raiseEpoch(directory: string, identity: Identity, firstSeq: number): Identity {
  const raised = { ...identity, epochs: [...identity.epochs, firstSeq] };
  const bytes = encodeUtf8(`${JSON.stringify(raised)}\n`);
  replaceFile(join(directory, FILE), bytes, { durable: true });
  return raised;
}

/**
 * Are the events up to `since`, as a client got them in `epoch`, the ones that the log has? Not when a
 * loss of power took some of them, and a later epoch used their numbers again.
 */
export function sameEvents(identity: Identity, since: number, epoch: number): boolean {
  if (epoch > identity.epochs.length) return false;
  const nextBegan = identity.epochs[epoch];
  return nextBegan === undefined || since < nextBegan;
}
