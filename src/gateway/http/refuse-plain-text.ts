import { errorOf } from "../../wire/errors.ts";
import type { Exposure } from "./hosts-and-origins.ts";
import { isLoopback, LOOPBACK_NAMES } from "./hosts-and-origins.ts";

/**
 * A person with a link can run commands as this user, so beyond this machine nothing goes in plain.
 *
 * @throws `exposed_without_tls`; `invalid_params` for a public origin that is none.
 */
export function checkExposure({ host, certificate, publicOrigin }: Exposure): void {
  if (publicOrigin !== undefined) checkOrigin(publicOrigin);
  const isPrivate = certificate !== undefined || publicOrigin?.startsWith("https://") === true;
  if (isPrivate || isLoopback(host)) return;
  throw errorOf(
    "exposed_without_tls",
    `Other machines could reach the gateway on ${host} in plain text.`,
    {
      data: { host },
    },
  );
}

function checkOrigin(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOOPBACK_NAMES.includes(url.hostname));
  if (url?.origin === text && isSafe) return;
  throw errorOf("invalid_params", `${JSON.stringify(text)} is not an origin that is safe.`, {
    hint: "Write it as https://name or https://name:port, without a path. Only loopback addresses may have http.",
  });
}
