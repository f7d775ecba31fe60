import { encodeFrame, FrameSplitter } from "../src/wire/frame.ts";
import type { JsonValue } from "../src/wire/json.ts";
import { encodeLine, LineSplitter } from "../src/wire/lines.ts";
import { encodeJson, parseJson } from "../src/wire/json-payload.ts";
import type { Splitter } from "../src/wire/splitter.ts";
import { decode } from "../src/wire/splitter.ts";
import type { Comparison, Contender, Suite } from "./harness.ts";

/** What a socket gives at most in one read. */
const CHUNK_BYTES = 65_536;
const STREAM_BYTES = 2_000_000;

const ENGLISH = [
  'The test "accepts the exact maximum" passed in 12 ms.\n',
  "Read src/wire/frame.ts and look for the place where the header is checked.\n",
  "C:\\Users\\dev\\project: 3 files changed, 41 insertions(+), 7 deletions(-)\n",
];
const MANY_SCRIPTS = [
  "The café's naïve reader — 行は改行で終わる — stopped at a line separator. ✓\n",
];

export default function codecSuite(): Suite {
  const small = makeMessages(100, ENGLISH);
  const medium = makeMessages(1_000, ENGLISH);
  const foreign = makeMessages(1_000, MANY_SCRIPTS);
  const large = makeMessages(100_000, ENGLISH);
  return {
    comparisons: [
      compareDecoding("100-B messages", small),
      compareDecoding("1-KB messages", medium, 1.5),
      compareDecoding("1-KB messages in many scripts", foreign),
      compareDecoding("100-KB messages", large),
      compareEncoding("100-B messages", small),
      compareEncoding("1-KB messages", medium),
      compareEncoding("1-KB messages in many scripts", foreign),
      compareEncoding("100-KB messages", large),
    ],
  };
}

function compareDecoding(title: string, values: JsonValue[], goalRatio?: number): Comparison {
  const texts = values.map((value) => JSON.stringify(value));
  const payloads = values.map((value) => encodeJson(value));
  const frames = chunksOf(values.map((value) => encodeFrame(value)));
  const lines = chunksOf(values.map((value) => encodeLine(value)));
  const goal = goalRatio === undefined ? {} : { goalRatio };
  return {
    title: `Decode ${title}`,
    work: workOf(payloads),
    clock: "processor",
    peer: forEach("JSON.parse of ready strings", texts, (text) => JSON.parse(text)),
    contenders: [
      // What is above the peer here is the price of UTF-8, and no framing can save it.
      forEach("TextDecoder and JSON.parse", payloads, (bytes) => parseJson(bytes)),
      { ...decoding("frames", frames, FrameSplitter), ...goal },
      { ...decoding("lines", lines, LineSplitter), ...goal },
    ],
  };
}

function compareEncoding(title: string, values: JsonValue[]): Comparison {
  return {
    title: `Encode ${title}`,
    work: workOf(values.map((value) => encodeJson(value))),
    clock: "processor",
    peer: forEach("JSON.stringify to strings", values, (value) => JSON.stringify(value)),
    contenders: [
      forEach("frames", values, (value) => encodeFrame(value)),
      forEach("lines", values, (value) => encodeLine(value)),
    ],
  };
}

function forEach<Item>(name: string, items: Item[], work: (item: Item) => unknown): Contender {
  return {
    name,
    run() {
      for (const item of items) work(item);
    },
  };
}

function decoding(name: string, chunks: Buffer[], Kind: new () => Splitter): Contender {
  return {
    name,
    run() {
      const splitter = new Kind();
      for (const chunk of chunks) {
        for (const split of splitter.push(chunk)) decode(split);
      }
    },
  };
}

/** What crosses our sockets, no two alike; each sentence has its turn. */
function makeMessages(messageBytes: number, sentences: string[]): JsonValue[] {
  const count = Math.ceil(STREAM_BYTES / messageBytes);
  return Array.from({ length: count }, (_, index) => {
    const sentence = sentences[index % sentences.length]!;
    return messageBytes <= 100
      ? textDelta(index, sentence)
      : teamMessage(index, sentence, messageBytes);
  });
}

const textDelta = (index: number, sentence: string): JsonValue => ({
  type: "text_delta",
  seq: index,
  turn_id: `turn_${index % 7}`,
  text: sentence.slice(0, 25),
});

/** About 500 bytes of fields; text fills the rest. */
function teamMessage(index: number, sentence: string, messageBytes: number): JsonValue {
  const textBytes = messageBytes - 500;
  return {
    id: uuid(index),
    from_agent: "coding_specialist",
    to_agent: "middle_manager",
    type: "task_response",
    content: sentence.repeat(Math.round(textBytes / byteLength(sentence))),
    thinking: null,
    metadata: {
      timestamp: 1_763_246_760 + index,
      priority: "normal",
      task_id: uuid(index % 100),
      correlation_id: uuid(index + 1),
      retry_count: 0,
      ttl: 300,
    },
    timestamp: "2026-11-15T22:46:00.000Z",
    reply_to: uuid(index + 2),
    root_id: uuid(1),
    hop: index % 8,
    path: ["grand_boss", "middle_manager", "coding_specialist"],
  };
}

const uuid = (index: number): string =>
  `0198c0de-7b1a-7c3e-9f00-${String(index).padStart(12, "0")}`;

const workOf = (payloads: Uint8Array[]): Comparison["work"] => ({
  messages: payloads.length,
  bytes: payloads.reduce((sum, { length }) => sum + length, 0),
});

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** The messages as one stream, cut as a socket would cut it; in Node each chunk is a Buffer. */
function chunksOf(messages: Uint8Array[]): Buffer[] {
  const stream = Buffer.concat(messages);
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; at += CHUNK_BYTES) {
    chunks.push(Buffer.from(stream.subarray(at, at + CHUNK_BYTES)));
  }
  return chunks;
}
