import type { MsgHdrs } from "@nats-io/transport-node";
import { headers } from "@nats-io/transport-node";
import { errorOf } from "../../wire/errors.ts";
import type { EntryDraft, Entry } from "../changelog/entry.ts";

/** What an entry says beside its data, as headers of a message. They are stored: their names never change. */
export function headersOf(draft: EntryDraft): MsgHdrs {
  const found = headers();
  found.set("Sb-Kind", draft.kind);
  found.set("Sb-Log", draft.logId);
  found.set("Sb-Epoch", String(draft.epoch));
  found.set("Sb-Batch", draft.batch);
  found.set("Sb-Schema", String(draft.schema));
  if (draft.parts > 1) found.set("Sb-Part", `${draft.part}/${draft.parts}`);
  if (draft.chain !== undefined) found.set("Sb-Chain", draft.chain);
  return found;
}

/** Fails with `bus_invalid` when the message is not an entry of ours. */
export function entryOf(seq: number, found: MsgHdrs | undefined, data: Uint8Array): Entry {
  const header = (name: string): string => found?.get(name) ?? "";
  const [part = 0, parts = 0] = (header("Sb-Part") || "1/1").split("/").map(Number);
  const [kind, logId, batch] = [header("Sb-Kind"), header("Sb-Log"), header("Sb-Batch")];
  const [epoch, schema] = [Number(header("Sb-Epoch")), Number(header("Sb-Schema"))];
  const isWhole = [epoch, schema, part, parts].every((each) => Number.isInteger(each) && each > 0);
  if ((kind !== "batch" && kind !== "office") || logId === "" || batch === "" || !isWhole) {
    throw errorOf("bus_invalid", `Message ${seq} of the stream was not written by a team.`);
  }
  const chain = header("Sb-Chain") || undefined;
  return { seq, kind, logId, epoch, batch, schema, part, parts, chain, data };
}
