import { Hono } from "hono";
import type { JsonValue } from "../../wire/json.ts";
import { errorOf } from "../../wire/errors.ts";
import type { LineClient } from "../relay/line-client.ts";
import { metricsText } from "../relay/traffic-counts.ts";
import { rangeOf } from "./byte-range.ts";
import type { GatewayContext, GatewayEnv, GatewayParts } from "./gateway-context.ts";
import { askSession, openLineClient } from "./ask-session.ts";
import { ownersOnly, signedIn } from "./require-sign-in.ts";

const PAGE_EVENTS = 200;
/** What a session sends of a blob in one answer. */
const PART_BYTES = 4 * 1024 * 1024;

/** What HTTP does better than lines: files to keep, parts of large payloads, figures for other programs. */
export function readingRoutes(parts: GatewayParts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  app.use("*", signedIn(parts));
  app.use("/api/*", async (context, next) => {
    const { socket } = context.env.incoming;
    whenOver(context, parts.sockets.addReader(socket, context.get("pass")));
    await next();
  });

  app.get("/api/export/session/:file{[\\w-]+\\.jsonl?}", async (context) => {
    const file = context.req.param("file");
    const name = file.replace(/\.jsonl?$/, "");
    const client = await openLineClient(name, context.get("pass"), parts);
    const isLines = file.endsWith(".jsonl");
    context.header("Content-Type", isLines ? "application/jsonl" : "application/json");
    context.header("Content-Disposition", `attachment; filename="${file}"`);
    return context.body(streamOf(context, client, isLines ? linesOf(client) : arrayOf(client)));
  });

  app.get("/api/blob/:agent/:blob", async (context) => {
    const { agent, blob } = context.req.param();
    const client = await openLineClient(agent, context.get("pass"), parts);
    try {
      const { bytes } = await askSession(client, { type: "get_blob", blob, limit: 1 }, "blob");
      const range = rangeOf(context.req.header("Range"), bytes);
      context.header("Accept-Ranges", "bytes");
      context.header("Content-Type", "application/octet-stream");
      context.header("Content-Disposition", "attachment");
      if (range === null) {
        await client[Symbol.asyncDispose]();
        context.header("Content-Range", `bytes */${bytes}`);
        return context.body(null, 416);
      }
      const { first, last } = range ?? { first: 0, last: bytes - 1 };
      if (range) context.header("Content-Range", `bytes ${first}-${last}/${bytes}`);
      context.header("Content-Length", String(last - first + 1));
      return context.body(
        streamOf(context, client, partsOf(client, blob, first, last)),
        range ? 206 : 200,
      );
    } catch (error) {
      await client[Symbol.asyncDispose]();
      throw error;
    }
  });

  app.use("/metrics", ownersOnly);
  app.get("/metrics", (context) => {
    context.header("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return context.body(metricsText(parts.counts, parts.sockets.byRole));
  });
  return app;
}

/** When the response was sent, or nobody is there to take it. */
function whenOver({ env: { outgoing } }: GatewayContext, act: () => void): void {
  if (outgoing.destroyed) act();
  else outgoing.once("close", act);
}

/** Reads on only when the browser takes what it has. A failure cuts the answer off, so that nobody takes it for whole. */
function streamOf(
  context: GatewayContext,
  client: LineClient,
  source: AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array> {
  const stop = (): Promise<void> => client[Symbol.asyncDispose]();
  // For HEAD nobody reads the stream, and nobody cancels it.
  whenOver(context, () => void stop());
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await source.next().catch(() => undefined);
        if (next?.done === false) return controller.enqueue(next.value);
        await stop();
        if (next === undefined) context.env.outgoing.destroy();
        else controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** All events of a session, oldest first, page by page. */
async function* eventsOf(client: LineClient): AsyncGenerator<readonly JsonValue[]> {
  const last = Number(client.first["last_seq"]);
  for (let before = PAGE_EVENTS + 1; before <= last + PAGE_EVENTS; before += PAGE_EVENTS) {
    const page = { type: "history", before, limit: PAGE_EVENTS } as const;
    const { events } = await askSession(client, page, "history");
    const isNew = (seq: number): boolean => seq >= before - PAGE_EVENTS;
    yield events.filter(({ seq }) => isNew(seq)) as unknown as JsonValue[];
  }
}

async function* linesOf(client: LineClient): AsyncGenerator<Uint8Array> {
  for await (const events of eventsOf(client)) {
    if (events.length > 0)
      yield bytesOf(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }
}

async function* arrayOf(client: LineClient): AsyncGenerator<Uint8Array> {
  let separator = "[\n";
  for await (const events of eventsOf(client)) {
    if (events.length === 0) continue;
    yield bytesOf(separator + events.map((event) => JSON.stringify(event)).join(",\n"));
    separator = ",\n";
  }
  yield bytesOf(separator === "[\n" ? "[]\n" : "\n]\n");
}

async function* partsOf(
  client: LineClient,
  blob: string,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array> {
  for (let offset = first; offset <= last;) {
    const limit = Math.min(PART_BYTES, last - offset + 1);
    const { data } = await askSession(client, { type: "get_blob", blob, offset, limit }, "blob");
    const bytes = Buffer.from(data, "base64");
    if (bytes.length === 0) throw errorOf("internal", `The session sent too little of ${blob}.`);
    offset += bytes.length;
    yield bytes;
  }
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
