import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorOf } from "../../../wire/errors.ts";
import type { NatsCredentials } from "../../../nats/nats-credentials.ts";
import { CertificateAuthority } from "./certificates.ts";
import { makeNkey } from "./make-nkey.ts";
import { serverConfig, TEAM_USER } from "./server-config.ts";

export interface BusFilesOptions {
  /** Is created; a directory with anything in it is refused. */
  readonly directory: string;
  readonly team: string;
  readonly hosts: readonly string[];
  /** Where the server is to listen: `HOST:PORT`. */
  readonly listen: string;
  /** Names and addresses by which the machines reach the server. */
  readonly addresses: readonly string[];
}

/** One directory for each machine. */
export interface BusFiles {
  readonly server: string;
  /** By name: the file of credentials. */
  readonly credentials: Readonly<Record<string, string>>;
}

const PRIVATE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

/**
 * Writes what a NATS server needs to serve one team, and what the team and each of its hosts need to use it. Every secret is
 * in a file that only its owner can read.
 *
 * @throws `invalid_params`; `start_failed` when openssl is not there, or too old.
 */
export async function writeBusFiles(options: BusFilesOptions): Promise<BusFiles> {
  const { team, hosts, listen, addresses } = options;
  const directory = resolve(options.directory);
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw errorOf("invalid_params", `${directory} is not empty.`, {
      hint: "Name a new directory: existing keys are never replaced.",
    });
  }
  if (hosts.includes(TEAM_USER)) {
    throw errorOf("invalid_params", `No host can be called ${TEAM_USER}.`, {
      hint: "That is the name of the team's own credentials. Choose another.",
    });
  }
  const sub = (name: string): string => {
    const path = join(directory, name);
    mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
    return path;
  };
  const authority = await CertificateAuthority.create(sub("authority"), team);
  const server = sub("server");
  await authority.issue({
    name: `${team}-server`,
    certificate: join(server, "server.pem"),
    key: join(server, "server.key"),
    addresses,
  });
  copyFileSync(authority.certificate, join(server, "ca.pem"));
  const users: { name: string; publicKey: string }[] = [];
  const credentials: Record<string, string> = {};
  for (const name of [TEAM_USER, ...hosts]) {
    const own = sub(name);
    const { seed, publicKey } = makeNkey();
    await authority.issue({
      name,
      certificate: join(own, "cert.pem"),
      key: join(own, "key.pem"),
    });
    copyFileSync(authority.certificate, join(own, "ca.pem"));
    const tls = { ca: "ca.pem", cert: "cert.pem", key: "key.pem" };
    const held: NatsCredentials = { team, name, seed, tls };
    const file = join(own, `${name}.json`);
    writeFileSync(file, `${JSON.stringify(held, null, 2)}\n`, { mode: PRIVATE });
    users.push({ name, publicKey });
    credentials[name] = file;
  }
  authority.finish();
  // Nobody has the key of the system account yet: its seed is kept with the authority.
  const system = makeNkey();
  writeFileSync(join(directory, "authority/system.seed"), `${system.seed}\n`, { mode: PRIVATE });
  const config = serverConfig({ team, listen, users, systemKey: system.publicKey });
  writeFileSync(join(server, "nats.conf"), config, { mode: PRIVATE });
  return { server, credentials };
}
