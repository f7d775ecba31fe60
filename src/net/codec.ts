import { encodeFrame, FrameSplitter } from "../wire/frame.ts";
import { encodeLine, LineSplitter } from "../wire/lines.ts";
import type { Parsed } from "../wire/json-payload.ts";
import type { Split, Splitter } from "../wire/splitter.ts";
import { decode } from "../wire/splitter.ts";

/** How a channel turns values into bytes and bytes into messages. */
export interface Codec<Sent, Received> {
  /** @throws when the value cannot be sent; nothing was sent then. */
  encode(value: Sent): Uint8Array;
  /** One per connection. */
  createSplitter(): Splitter;
  /** Never throws: an error replaces a message that could not be read. */
  decode(split: Split): Received;
}

export const jsonFrames: Codec<unknown, Parsed> = {
  encode: (value) => encodeFrame(value),
  createSplitter: () => new FrameSplitter(),
  decode,
};

export const jsonLines: Codec<unknown, Parsed> = {
  encode: (value) => encodeLine(value),
  createSplitter: () => new LineSplitter(),
  decode,
};
