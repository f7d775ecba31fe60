import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;

/** 256 random bits that fit into a URL, a cookie and a header. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** What is stored in place of a secret. The secret is random, so a plain hash is enough. */
export const fingerprint = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex");

/** Compares two fingerprints in constant time. */
export const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
