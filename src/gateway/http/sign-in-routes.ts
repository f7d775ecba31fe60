import { Hono } from "hono";
import * as z from "zod";
import { check } from "../../wire/check-message.ts";
import { errorOf } from "../../wire/errors.ts";
import type { GatewaySignIn } from "../../wire/gateway.ts";
import { linkOf, makeLinkFor, NewLinkSchema } from "../sign-in/links.ts";
import type { Pass } from "../sign-in/pass.ts";
import type { GatewayContext, GatewayEnv, GatewayParts } from "./gateway-context.ts";
import { countWrong, ownersOnly, signedIn } from "./require-sign-in.ts";

const MAX_BODY_BYTES = 1024;
const MINUTE_MS = 60_000;

const EnterSchema = z.object({ token: z.string().min(1).max(200) });
/** As long as browsers keep any cookie. The gateway itself knows when a sign-in has ended. */
const COOKIE_MS = 400 * 24 * 60 * MINUTE_MS;

/** Signing in and out, and links for other people. */
export function authRoutes(parts: GatewayParts): Hono<GatewayEnv> {
  const { passes } = parts;
  const app = new Hono<GatewayEnv>();

  app.post("/enter", async (context) => {
    const { token } = await bodyOf(context, EnterSchema);
    const entered = passes.enter(token);
    if (!entered) throw countWrong(context.env.incoming, parts);
    const { pass, cookie, key } = entered;
    context.header("Set-Cookie", cookieOf(context, parts, cookie, COOKIE_MS));
    return context.json({ key, ...signInOf(pass, parts) });
  });

  app.use("*", signedIn(parts));
  app.get("/me", (context) => context.json(signInOf(context.get("pass"), parts)));
  app.post("/leave", (context) => {
    passes.revoke(context.get("pass").id);
    context.header("Set-Cookie", cookieOf(context, parts, "", 0));
    return context.body(null, 204);
  });

  app.use("/links/*", ownersOnly);
  app.get("/links", (context) =>
    context.json({ links: passes.list().map((pass) => linkOf(pass, context.get("pass").id)) }),
  );
  app.post("/links", async (context) => {
    const wanted = await bodyOf(context, NewLinkSchema);
    const made = makeLinkFor(context.get("pass").name, wanted, passes, parts.origin());
    return context.json(made, 201);
  });
  app.delete("/links/:id", (context) => {
    if (!passes.revoke(context.req.param("id"))) {
      throw errorOf("method_not_found", "There is no such link.", {
        hint: "See the list of links.",
      });
    }
    return context.body(null, 204);
  });
  return app;
}

/** @throws `message_too_large`; `parse_error`; `invalid_params`. */
async function bodyOf<Schema extends z.ZodType>(
  context: GatewayContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A request that is destroyed could not be answered.
  const body = context.env.incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) {
      const data = { limit: MAX_BODY_BYTES };
      throw errorOf("message_too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
        data,
      });
    }
    chunks.push(chunk as Buffer);
  }
  const checked = check(schema, valueOf(Buffer.concat(chunks)), "The body");
  if (!checked.ok) throw checked.error;
  return checked.value;
}

function valueOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (cause) {
    throw errorOf("parse_error", "The body is not JSON.", { cause });
  }
}

/** Only this host gets it back, no script reads it, and no other site's page makes a browser send it. */
function cookieOf(
  context: GatewayContext,
  { passes, origins }: GatewayParts,
  value: string,
  maxAgeMs: number,
): string {
  const origin = origins().get(context.env.incoming.headers.host ?? "");
  const isSecure = origin?.startsWith("https:") === true;
  const age = `Max-Age=${Math.floor(maxAgeMs / 1000)}`;
  const rules = ["HttpOnly", "SameSite=Strict", "Path=/", age, ...(isSecure ? ["Secure"] : [])];
  return [`${passes.cookieName}=${value}`, ...rules].join("; ");
}

const signInOf = ({ name, role, state }: Pass, { target }: GatewayParts): GatewaySignIn => ({
  name,
  role,
  expires_at: new Date(state.until).toISOString(),
  serves: target.kind,
});
