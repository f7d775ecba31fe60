import type { Duplex } from "node:stream";
import { channel } from "../../net/channel.ts";
import { jsonFrames } from "../../net/codec.ts";
import { isRecord } from "../../wire/json.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { serveContract } from "./serve-contract-mode.ts";
import { serveOwn } from "./serve-own-mode.ts";
import type { ToolService } from "./tool-service.ts";

/** Serves one bridge until it leaves. The first frame decides the protocol. Never rejects. */
export async function serveConnection(socket: Duplex, service: ToolService): Promise<void> {
  await using frames = channel(socket, jsonFrames);
  try {
    const messages = frames[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done) return;
    if (speaksMcp(first.value)) await serveOwn(first, messages, frames, service);
    else await serveContract(first, messages, frames, service);
  } catch (err) {
    service.log.debug({ err }, "A connection ended early.");
  }
}

function speaksMcp(first: Parsed): boolean {
  return first.ok && isRecord(first.value) && "jsonrpc" in first.value;
}
