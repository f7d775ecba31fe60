import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { describeFileError } from "../files/describe-file-error.ts";
import { check } from "../wire/check-message.ts";
import { errorOf } from "../wire/errors.ts";
import type { NatsAccess } from "./nats-access.ts";

/** What `switchboard bus init` writes for one machine. Paths begin beside the file. */
export const NatsCredentialsSchema = z.object({
  team: z.string(),
  name: z.string().describe("Of the host, or `team` for the team itself."),
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/),
  tls: z.object({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
});
export type NatsCredentials = z.infer<typeof NatsCredentialsSchema>;

const OTHERS = 0o077;

/** @throws `invalid_params` when the file cannot be used; `unsafe_place` when others may read it. */
export function readCredentials(file: string): NatsCredentials {
  const path = resolve(file);
  let value: unknown;
  try {
    if ((statSync(path).mode & OTHERS) !== 0) {
      throw errorOf("unsafe_place", `${path} can be read by other users of this machine.`, {
        hint: `It holds a secret. Run: chmod 600 ${path}`,
      });
    }
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof SyntaxError) value = undefined;
    else if (cause instanceof Error && "code" in cause && String(cause.code).startsWith("E"))
      throw errorOf("invalid_params", `${path}: ${describeFileError(cause)}.`, { cause, hint });
    else throw cause;
  }
  const read = check(NatsCredentialsSchema, value, "credentials");
  if (read.ok) return read.value;
  // What is wrong is not shown: it may be the secret.
  throw errorOf("invalid_params", `${path} is no file of credentials.`, { hint });
}

const hint = "Name a file that 'switchboard bus init' has written for this machine.";

/** How the machine of these credentials reaches a server. */
export function accessOf(url: string, file: string | undefined): NatsAccess {
  if (file === undefined) return { url, name: "switchboard" };
  const { name, seed, tls } = readCredentials(file);
  const beside = (path: string): string => resolve(dirname(resolve(file)), path);
  return {
    url,
    name,
    seed,
    inboxPrefix: `_INBOX_${name}`,
    ...(tls && { tls: { ca: beside(tls.ca), cert: beside(tls.cert), key: beside(tls.key) } }),
  };
}
