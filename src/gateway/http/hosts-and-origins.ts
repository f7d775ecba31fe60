import { X509Certificate } from "node:crypto";
import { BlockList, isIP } from "node:net";

/** Each `Host` under which the gateway answers, with the origin of its pages. */
export type GatewayOrigins = ReadonlyMap<string, string>;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** To listen on; nobody's name. */
const EVERY_ADDRESS = ["0.0.0.0", "::"];
export const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export interface Exposure {
  /** The address to listen on. */
  readonly host: string;
  /** The certificate, when the gateway speaks TLS itself. */
  readonly certificate?: string | undefined;
  /** Where people reach it through another program that speaks TLS, such as a tunnel. */
  readonly publicOrigin?: string | undefined;
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  (isIP(host) !== 0 && loopback.check(host, isIP(host) === 4 ? "ipv4" : "ipv6"));

/** The exact names of the gateway. Nothing is matched by its beginning or end. */
export function originsOf(exposure: Exposure, port: number): GatewayOrigins {
  const { host, certificate, publicOrigin } = exposure;
  const scheme = certificate === undefined ? "http" : "https";
  const isDefault = port === (scheme === "http" ? 80 : 443);
  const named =
    isLoopback(host) || isIP(host) === 0 || EVERY_ADDRESS.includes(host) ? [] : [inUrl(host)];
  const names = [...LOOPBACK_NAMES, ...named, ...namesOf(certificate)];
  const origins = names.map((name): [string, string] => {
    const place = isDefault ? name : `${name}:${port}`;
    return [place, `${scheme}://${place}`];
  });
  if (publicOrigin !== undefined) origins.push([new URL(publicOrigin).host, publicOrigin]);
  return new Map(origins);
}

/** What people type: the public origin, or the address itself. */
export function originFor(exposure: Exposure, port: number): string {
  if (exposure.publicOrigin !== undefined) return exposure.publicOrigin;
  const names = namesOf(exposure.certificate);
  const { host } = exposure;
  const name = isLoopback(host) ? inUrl(host) : (names[0] ?? inUrl(host));
  const found = [...originsOf(exposure, port)].find(
    ([place]) => place === name || place === `${name}:${port}`,
  );
  return found?.[1] ?? `http://127.0.0.1:${port}`;
}

/** The names and addresses that a certificate is for. One with a wildcard is not a name. */
function namesOf(certificate: string | undefined): string[] {
  if (certificate === undefined) return [];
  const listed = new X509Certificate(certificate).subjectAltName?.split(", ") ?? [];
  return listed.flatMap((each) => {
    const name = /^(?:DNS|IP Address):([\w.:-]+)$/.exec(each)?.[1]?.toLowerCase();
    return name === undefined || LOOPBACK_NAMES.includes(name) ? [] : [inUrl(name)];
  });
}

const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
