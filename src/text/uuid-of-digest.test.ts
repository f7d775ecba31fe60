import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { randomUuid, uuidOfDigest } from "./uuid-of-digest.ts";

test("uuidOfDigest gives the UUID that RFC 9562 gives for the same name", () => {
  const dns = Buffer.from("6ba7b8109dad11d180b400c04fd430c8", "hex");
  const digest = createHash("sha1").update(dns).update("www.example.com").digest();
  expect(uuidOfDigest(digest, 5)).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
});

test("uuidOfDigest always gives a UUID of its version, and leaves the digest as it was", () => {
  const digests = fc.uint8Array({ minLength: 16, maxLength: 32 });
  fc.assert(
    fc.property(digests, fc.constantFrom(5, 8), (digest, version) => {
      const before = [...digest];
      const uuid = uuidOfDigest(digest, version);
      expect(uuid).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[58][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(uuid[14]).toBe(String(version));
      expect([...digest]).toEqual(before);
    }),
  );
});

test("randomUuid returns another UUID of version 4 each time", () => {
  const uuids = Array.from({ length: 100 }, () => randomUuid());
  expect(new Set(uuids).size).toBe(100);
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
