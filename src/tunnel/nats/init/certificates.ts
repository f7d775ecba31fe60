import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { findCommand } from "../../../proc/find-command.ts";
import { runToEnd } from "../../../proc/run-to-end.ts";
import { errorOf } from "../../../wire/errors.ts";

const OPENSSL_MS = 30_000;
const CA_DAYS = "3650";
const DAYS = "825";
const PRIVATE = 0o600;

/** A certificate of our own authority, with its key. */
export interface Leaf {
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
  /** Names and addresses of a server; a client has none. */
  readonly addresses?: readonly string[];
}

/** An authority that vouches for one team's machines. Node itself makes no certificates: openssl does. */
export class CertificateAuthority {
  readonly #directory: string;
  readonly #openssl: string;

  private constructor(directory: string, openssl: string) {
    this.#directory = directory;
    this.#openssl = openssl;
  }

  get certificate(): string {
    return join(this.#directory, "ca.pem");
  }

  get #key(): string {
    return join(this.#directory, "ca.key");
  }

  get #config(): string {
    return join(this.#directory, "openssl.cnf");
  }

  /** @throws `start_failed` when there is no openssl, or it refuses. */
  static async create(directory: string, team: string): Promise<CertificateAuthority> {
    const openssl = findCommand("openssl", process.env["PATH"] ?? "");
    if (openssl === undefined) {
      throw errorOf(
        "start_failed",
        "The command openssl, which makes the certificates, is not there.",
        {
          hint: "Install it, on Debian with: apt-get install openssl",
        },
      );
    }
    const authority = new CertificateAuthority(directory, openssl);
    // Without it the machine's own configuration would add extensions.
    writeFileSync(authority.#config, "[req]\ndistinguished_name = dn\nprompt = no\n[dn]\n");
    await authority.#make(authority.#key, authority.certificate, CA_DAYS, `switchboard ${team}`, [
      "basicConstraints=critical,CA:TRUE",
      "keyUsage=critical,keyCertSign,cRLSign",
    ]);
    return authority;
  }

  async issue({ name, certificate, key, addresses }: Leaf): Promise<void> {
    const names = addresses?.map((each) => `${isIP(each) === 0 ? "DNS" : "IP"}:${each}`);
    const extensions = [
      "basicConstraints=critical,CA:FALSE",
      "keyUsage=critical,digitalSignature",
      `extendedKeyUsage=${names ? "serverAuth,clientAuth" : "clientAuth"}`,
      ...(names ? [`subjectAltName=${names.join(",")}`] : []),
    ];
    const by = ["-CA", this.certificate, "-CAkey", this.#key];
    await this.#make(key, certificate, DAYS, name, extensions, by);
  }

  /** Removes what only openssl needs. */
  finish(): void {
    rmSync(this.#config, { force: true });
  }

  async #make(
    key: string,
    certificate: string,
    days: string,
    name: string,
    extensions: readonly string[],
    by: readonly string[] = [],
  ): Promise<void> {
    // The file exists before openssl writes to it, so that nobody else ever reads it.
    writeFileSync(key, "", { mode: PRIVATE });
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const ends = ["-keyout", key, "-out", certificate, "-days", days, "-subj", `/CN=${name}`];
    const args = ["req", "-x509", "-config", this.#config, ...curve, ...ends, ...by];
    const extended = extensions.flatMap((each) => ["-addext", each]);
    const end = await runToEnd({
      command: this.#openssl,
      args: [...args, ...extended],
      timeoutMs: OPENSSL_MS,
    });
    if (!end.ok) {
      throw errorOf("start_failed", `openssl made no certificate for ${name}: ${end.err.trim()}`, {
        hint: "Version 3.0 or newer is needed: see 'openssl version'.",
      });
    }
    chmodSync(key, PRIVATE);
  }
}
