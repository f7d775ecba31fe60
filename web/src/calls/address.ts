/** An address with its host apart: what counts is where it leads. */
export interface Address {
  readonly before: string;
  readonly host: string;
  readonly after: string;
  /** Only such an address may be opened. */
  readonly isWeb: boolean;
}

/** Undefined for a text that is no address with a host. The texts are those that a browser would use. */
export function addressOf(text: string): Address | undefined {
  const url = URL.parse(text);
  if (url === null || url.host === "") return undefined;
  const { href, host, protocol } = url;
  const start = href.indexOf("//") + 2;
  const user = href.slice(start).search(/[/?#]/);
  const end = user < 0 ? href.length : start + user;
  const at = href.lastIndexOf(host, end);
  return {
    before: href.slice(0, at),
    host,
    after: href.slice(at + host.length),
    isWeb: protocol === "http:" || protocol === "https:",
  };
}
