import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { LogIdSchema, SeqSchema } from "../../wire/id-schemas.ts";
import { parseJson } from "../../wire/json-payload.ts";
import { encodeUtf8 } from "../../wire/utf8.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { damaged } from "./log-errors.ts";

const FILE = "log.json";

const IdentitySchema = z.object({
  version: z.literal(1),
  log_id: LogIdSchema,
  /** The first event that each epoch could write: the first entry is that of epoch 1. */
  epochs: z.array(SeqSchema),
});

/** The log's id, and the first event of each of its epochs. */
export type Identity = z.infer<typeof IdentitySchema>;

/** Returns undefined when there is none yet. */
export function readIdentity(directory: string): Identity | undefined {
  const path = join(directory, FILE);
  if (!existsSync(path)) return undefined;
  const parsed = parseJson(readFileSync(path));
  const checked = IdentitySchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!checked.success) throw damaged(path, 0, "it does not name the log");
  return checked.data;
}

export const newIdentity = (logId: string = randomUUID()): Identity => ({
  version: 1,
  log_id: logId,
  epochs: [],
});

/** Begins an epoch; it is on disk before anything is written in it. */
export function raiseEpoch(directory: string, identity: Identity, firstSeq: number): Identity {
  const raised = { ...identity, epochs: [...identity.epochs, firstSeq] };
  writeIdentity(directory, raised);
  return raised;
}

export function writeIdentity(directory: string, identity: Identity): void {
  const bytes = encodeUtf8(`${JSON.stringify(identity)}\n`);
  replaceFile(join(directory, FILE), bytes, { durable: true });
}

/**
 * Whether the events up to `since`, as a client received them in `epoch`, are those of the log. They are not when a
 * power loss took some of them and a later epoch reused their numbers.
 */
export function sameEvents(identity: Identity, since: number, epoch: number): boolean {
  if (epoch > identity.epochs.length) return false;
  const nextBegan = identity.epochs[epoch];
  return nextBegan === undefined || since < nextBegan;
}
