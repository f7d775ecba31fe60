import { Hono } from "hono";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { openTeam } from "../download/ask-team.ts";
import { csvOf, jsonOf, logFilterOf } from "../download/log-export.ts";
import { markdownOf } from "../download/session-markdown.ts";
import type { SessionLog } from "../download/session-log.ts";
import { openSessionLog } from "../download/session-log.ts";
import { metricsText } from "../relay/traffic-counts.ts";
import { rangeOf } from "./byte-range.ts";
import type { GatewayContext, GatewayEnv, GatewayParts } from "./gateway-context.ts";
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

  app.get("/api/export/session/:file{[\\w-]+\\.(?:jsonl|json|md)}", async (context) => {
    const file = context.req.param("file");
    const [name = "", ending = ""] = file.split(".");
    const form = sessionForms[ending] ?? jsonForm;
    const log = await openSessionLog(name, context.get("pass"), parts);
    context.header("Content-Type", form.type);
    context.header("Content-Disposition", `attachment; filename="${file}"`);
    return context.body(streamOf(context, log, form.write(log, name)));
  });

  app.get("/api/export/:file{log\\.(?:csv|json)}", async (context) => {
    const file = context.req.param("file");
    const filter = logFilterOf(context.req.query());
    const team = await openTeam(context.get("pass"), parts);
    const isCsv = file.endsWith(".csv");
    context.header("Content-Type", isCsv ? "text/csv; charset=utf-8" : "application/json");
    context.header("Content-Disposition", `attachment; filename="${file}"`);
    const source = isCsv ? csvOf(team, filter) : jsonOf(team, filter);
    return context.body(streamOf(context, team, source));
  });

  app.get("/api/blob/:agent/:blob", async (context) => {
    const { agent, blob } = context.req.param();
    const log = await openSessionLog(agent, context.get("pass"), parts);
    try {
      const { bytes } = await log.blob({ blob, limit: 1 });
      const range = rangeOf(context.req.header("Range"), bytes);
      context.header("Accept-Ranges", "bytes");
      context.header("Content-Type", "application/octet-stream");
      context.header("Content-Disposition", "attachment");
      if (range === null) {
        await log[Symbol.asyncDispose]();
        context.header("Content-Range", `bytes */${bytes}`);
        return context.body(null, 416);
      }
      const { first, last } = range ?? { first: 0, last: bytes - 1 };
      if (range) context.header("Content-Range", `bytes ${first}-${last}/${bytes}`);
      context.header("Content-Length", String(last - first + 1));
      return context.body(
        streamOf(context, log, partsOf(log, blob, first, last)),
        range ? 206 : 200,
      );
    } catch (error) {
      await log[Symbol.asyncDispose]();
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
  from: AsyncDisposable,
  source: AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array> {
  const stop = async (): Promise<void> => from[Symbol.asyncDispose]();
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
async function* eventsOf(log: SessionLog): AsyncGenerator<readonly SessionEvent[]> {
  const { lastSeq } = log;
  for (let before = PAGE_EVENTS + 1; before <= lastSeq + PAGE_EVENTS; before += PAGE_EVENTS) {
    const events = await log.events(before, PAGE_EVENTS);
    const page = events.filter(({ seq }) => seq >= before - PAGE_EVENTS);
    if (page.length > 0) yield page;
  }
}

interface SessionForm {
  readonly type: string;
  readonly write: (log: SessionLog, name: string) => AsyncGenerator<Uint8Array>;
}

const jsonForm: SessionForm = { type: "application/json", write: arrayOf };

const sessionForms: Readonly<Record<string, SessionForm>> = {
  jsonl: { type: "application/jsonl", write: linesOf },
  json: jsonForm,
  md: {
    type: "text/markdown; charset=utf-8",
    write: (log, name) => markdownOf(name, eventsOf(log)),
  },
};

async function* linesOf(log: SessionLog): AsyncGenerator<Uint8Array> {
  for await (const events of eventsOf(log))
    yield bytesOf(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

async function* arrayOf(log: SessionLog): AsyncGenerator<Uint8Array> {
  let separator = "[\n";
  for await (const events of eventsOf(log)) {
    yield bytesOf(separator + events.map((event) => JSON.stringify(event)).join(",\n"));
    separator = ",\n";
  }
  yield bytesOf(separator === "[\n" ? "[]\n" : "\n]\n");
}

async function* partsOf(
  log: SessionLog,
  blob: string,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array> {
  for (let offset = first; offset <= last;) {
    const limit = Math.min(PART_BYTES, last - offset + 1);
    const { data } = await log.blob({ blob, offset, limit });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length === 0) throw errorOf("internal", `The session sent too little of ${blob}.`);
    offset += bytes.length;
    yield bytes;
  }
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
