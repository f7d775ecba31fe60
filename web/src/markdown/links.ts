import { hasHidden } from "../characters/visible-characters.ts";

export type Target =
  | {
      readonly is: "open";
      readonly href: string;
      /** The address as a person should read it, if the words of the link do not say it already. */
      readonly shown: string | undefined;
    }
  /** No link is made of it. */
  | { readonly is: "refused"; readonly address: string };

const protocols = new Set(["http:", "https:", "mailto:"]);
const MAX_ADDRESS = 2_048;
/** Begins like an address, or has a host's name in it. */
const addressLike = /[a-z][a-z0-9+.-]*:|www\.|[\p{L}\p{N}-]+\.[\p{L}]{2,}|@/iu;

/**
 * What a link may do: only whole http, https and mailto addresses are opened, and without a user's name in them, which
 * is there to deceive. Where the link's words look like an address, and lead elsewhere, the real one is shown.
 */
export function targetOf(address: string, words: string): Target {
  const url = parsed(address);
  if (url === undefined || url.username !== "" || url.password !== "") {
    return { is: "refused", address };
  }
  const isSame = sameAddress(words, url, address);
  const isDoubtful = addressLike.test(words) || hasHidden(words) || words.trim() === "";
  return { is: "open", href: url.href, shown: isSame || !isDoubtful ? undefined : readable(url) };
}

/** The host of a picture, which is never fetched. */
export function hostOf(address: string): string {
  const url = parsed(address);
  return url === undefined ? address.slice(0, 40) : readable(url);
}

function parsed(address: string): URL | undefined {
  if (address.length > MAX_ADDRESS || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return protocols.has(url.protocol) ? url : undefined;
}

/** A name with letters that look like others is shown as it goes over the wire: `xn--…`. */
const readable = (url: URL): string => (url.protocol === "mailto:" ? url.pathname : url.host);

function sameAddress(words: string, url: URL, address: string): boolean {
  const text = words.trim();
  if (hasHidden(text)) return false;
  if (text === url.href || text === readable(url)) return true;
  if (text === address) return isAscii(text);
  const whole = /^[a-z]+:/i.test(text) ? text : `${url.protocol}//${text}`;
  return isAscii(text) && URL.canParse(whole) && new URL(whole).href === url.href;
}

const isAscii = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);
