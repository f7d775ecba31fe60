import type { ReadMessage } from "./read-message.ts";
import { PARSED_BYTES, readMessage } from "./read-message.ts";

/**
 * How our own host begins an answer. Of a large answer the bridge needs only the id, which can be read without a
 * parser.
 */
const ANSWER_HEAD =
  /^\{"jsonrpc":"2\.0","id":(?:(0|[1-9]\d{0,14})|"([ !#-[\]-~]{0,64})"),"result":/;
const HEAD_BYTES = 112;

/** Like `readMessage`, for what comes from the host. The contents of a large result are not checked. */
export function readHostMessage(bytes: Uint8Array): ReadMessage {
  const head = bytes.length > PARSED_BYTES && ANSWER_HEAD.exec(headOf(bytes));
  if (!head) return readMessage(bytes);
  const [, number, text = ""] = head;
  const id = number === undefined ? text : Number(number);
  return { ok: true, message: { kind: "response", bytes, id } };
}

/** One character per byte: non-ASCII characters then match nothing. */
const headOf = ({ buffer, byteOffset }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, HEAD_BYTES).toString("latin1");
