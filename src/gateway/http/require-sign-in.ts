import type { IncomingMessage } from "node:http";
import type { MiddlewareHandler } from "hono";
import { errorOf } from "../../wire/errors.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { Pass } from "../sign-in/pass.ts";
import { passOf } from "../sign-in/pass-of-request.ts";
import type { GatewayEnv, GatewayParts } from "./gateway-context.ts";
import { signInRequired, tooManyKeys } from "./refuse-request.ts";

type KeyParts = Pick<GatewayParts, "passes" | "wrongKeys">;

/** The sign-in of a request, or the error to answer with. */
export function identify(request: IncomingMessage, parts: KeyParts): Pass | ClaudeCodeError {
  return passOf(request, parts.passes) ?? countWrong(request, parts);
}

/** Counts a wrong key, and returns what to answer. */
export function countWrong(request: IncomingMessage, { wrongKeys }: KeyParts): ClaudeCodeError {
  const isTooMany = wrongKeys.add(request.socket.remoteAddress ?? "");
  return isTooMany ? tooManyKeys() : signInRequired();
}

/** Only for those who are signed in. */
export const signedIn =
  (parts: KeyParts): MiddlewareHandler<GatewayEnv> =>
  async (context, next) => {
    const found = identify(context.env.incoming, parts);
    if (found instanceof Error) throw found;
    context.set("pass", found);
    await next();
  };

/** Only for owners; behind `signedIn`. */
export const ownersOnly: MiddlewareHandler<GatewayEnv> = async (context, next) => {
  if (context.get("pass").role !== "owner") {
    throw errorOf("read_only", "Viewers may not do this.", {
      hint: "Ask an owner of this gateway to do it.",
    });
  }
  await next();
};
