/** A message on the channel of one stream. `seq` numbers the frames `data` and `end` of one direction, from 0. */
export type Frame =
  | { readonly type: "open"; readonly body: Uint8Array }
  /** The stream is taken. So many bytes may be sent. */
  | { readonly type: "ok"; readonly window: number }
  | { readonly type: "no"; readonly body: Uint8Array }
  | { readonly type: "data"; readonly seq: number; readonly body: Uint8Array }
  /** So many bytes may be sent in all, since the stream began: a lost one is made good by the next. */
  | { readonly type: "credit"; readonly granted: number }
  /** Nothing more is sent in this direction. */
  | { readonly type: "end"; readonly seq: number }
  | { readonly type: "reset" };

const codes = { open: 1, ok: 2, no: 3, data: 4, credit: 5, end: 6, reset: 7 } as const;

const HEADER_BYTES = 5;
const COUNT_BYTES = 6;
const NOTHING = new Uint8Array(0);

/** `type u8, seq u32, body`, big-endian. */
export function encodeFrame(frame: Frame): Uint8Array {
  const body = "body" in frame ? frame.body : NOTHING;
  const isCount = frame.type === "credit" || frame.type === "ok";
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + (isCount ? COUNT_BYTES : body.length));
  bytes[0] = codes[frame.type];
  bytes.writeUInt32BE("seq" in frame ? frame.seq : 0, 1);
  if (frame.type === "credit") bytes.writeUIntBE(frame.granted, HEADER_BYTES, COUNT_BYTES);
  else if (frame.type === "ok") bytes.writeUIntBE(frame.window, HEADER_BYTES, COUNT_BYTES);
  else bytes.set(body, HEADER_BYTES);
  return bytes;
}

/** Undefined when the bytes are no frame. The body is a part of the bytes, not a copy. */
export function decodeFrame(message: Uint8Array): Frame | undefined {
  if (message.length < HEADER_BYTES) return undefined;
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const body = message.subarray(HEADER_BYTES);
  const seq = bytes.readUInt32BE(1);
  const counted = body.length === COUNT_BYTES ? bytes.readUIntBE(HEADER_BYTES, COUNT_BYTES) : -1;
  switch (bytes[0]) {
    case codes.open:
      return { type: "open", body };
    case codes.ok:
      return counted < 0 ? undefined : { type: "ok", window: counted };
    case codes.no:
      return { type: "no", body };
    case codes.data:
      return { type: "data", seq, body };
    case codes.credit:
      return counted < 0 ? undefined : { type: "credit", granted: counted };
    case codes.end:
      return { type: "end", seq };
    case codes.reset:
      return { type: "reset" };
    default:
      return undefined;
  }
}

/** The number after this one. After 4,294,967,295 comes 0 again. */
export const nextSeq = (seq: number): number => (seq + 1) >>> 0;
