import { Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "../../log/logger.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { authRoutes } from "./sign-in-routes.ts";
import type { GatewayContext, GatewayEnv, GatewayParts } from "./gateway-context.ts";
import { isOwnPath } from "./check-host-and-origin.ts";
import { readingRoutes } from "./download-routes.ts";
import { bodyOf, statusOf } from "./refuse-request.ts";
import { chooseBody } from "./static-files.ts";
import type { StaticFile } from "./static-files.ts";

/** All routes but the WebSockets. Which names and origins are ours was judged before. */
export function gatewayApp(parts: GatewayParts, logger: Logger): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  app.get("/healthz", (context) => context.body(null, 204));
  app.get("*", async (context, next) => {
    const file = fileFor(context, parts);
    if (!file) return next();
    return serveFile(context, file);
  });
  app.route("/auth", authRoutes(parts));
  app.route("/", readingRoutes(parts));
  app.notFound((context) =>
    answerError(context, errorOf("method_not_found", "There is nothing here."), parts),
  );
  app.onError((thrown, context) => {
    const known = thrown instanceof ClaudeCodeError;
    // Not the URL: it may hold what is nobody's business.
    if (!known) logger.error({ err: thrown }, "A request failed.");
    const error = known ? thrown : errorOf("internal", "The request failed.", { cause: thrown });
    return answerError(context, error, parts);
  });
  return app;
}

function answerError(
  context: GatewayContext,
  error: ClaudeCodeError,
  { counts }: GatewayParts,
): Response {
  const status = statusOf(error);
  counts.refuse(status);
  if (status === 429) context.header("Retry-After", "60");
  context.header("Content-Type", "application/json; charset=utf-8");
  return context.body(bodyOf(error), status as ContentfulStatusCode);
}

/** The named file; for a place inside the page, the page itself, which finds the place in its address. */
function fileFor(context: GatewayContext, { files }: GatewayParts): StaticFile | undefined {
  const { path } = context.req;
  if (isOwnPath(path)) return undefined;
  const isPlace = !/\.\w+$/.test(path);
  return files.get(path) ?? (isPlace ? files.get("/index.html") : undefined);
}

function serveFile(context: GatewayContext, file: StaticFile): Response {
  const { encoding, body } = chooseBody(file, context.req.header("Accept-Encoding") ?? "");
  context.header("Content-Type", file.type);
  context.header("Vary", "Accept-Encoding");
  if (encoding !== "") context.header("Content-Encoding", encoding);
  if (file.isForEver) context.header("Cache-Control", "public, max-age=31536000, immutable");
  return context.body(new Uint8Array(body));
}
