import { resolve } from "node:path";
import type { TeamBus } from "../../team/index.ts";
import { errorOf } from "../../wire/errors.ts";
import { HostNameSchema } from "../../wire/host.ts";

/** Whose credentials these are. */
export async function credentialsName(file: string): Promise<{ team: string; name: string }> {
  const { readCredentials } = await import("../../nats/nats-credentials.ts");
  const { team, name } = readCredentials(file);
  return { team, name };
}

export interface BusFlags {
  bus: string;
  credentials?: string;
  team?: string;
}

/** A team on a server, as a command names it. @throws `invalid_params` */
export async function teamOnBus(flags: BusFlags): Promise<{ team: string; bus: TeamBus }> {
  const { bus: url, credentials } = flags;
  const own = credentials === undefined ? undefined : await credentialsName(credentials);
  return {
    team: teamToken(flags.team ?? own?.team),
    bus: { url, ...(credentials !== undefined && { credentials: resolve(credentials) }) },
  };
}

/** @throws `invalid_params` */
export function teamToken(name: string | undefined): string {
  if (name === undefined)
    throw errorOf("invalid_params", "Which team? --team is missing.", {
      hint: "Name it with --team, or name its credentials with --credentials.",
    });
  if (HostNameSchema.safeParse(name).success) return name;
  throw errorOf("invalid_params", `--team ${name}: a team on NATS has another kind of name.`, {
    hint: "It has letters, digits, hyphens and underscores, 64 at most.",
  });
}
