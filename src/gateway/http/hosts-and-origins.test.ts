import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLoopback, originFor, originsOf } from "./hosts-and-origins.ts";
import { checkExposure } from "./refuse-plain-text.ts";

const tls = (name: string): string =>
  new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url).pathname;
const certificate = readFileSync(tls("cert"), "utf8");

describe("isLoopback", () => {
  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("knows %s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "::",
    "10.1.2.3",
    "127.evil.com",
    "localhost.evil.com",
    "",
    "::ffff:10.0.0.1",
  ])("does not take %s for it", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("checkExposure", () => {
  it.each(["0.0.0.0", "::", "10.1.2.3", "myhost"])(
    "[GW-14] refuses %s in plain text, and says what to do",
    (host) => {
      const refused = expect.objectContaining({
        code: "exposed_without_tls",
        hint: expect.stringMatching(/--tls-cert.*--public-origin.*ssh -L.*tailscale/),
      });
      expect(() => checkExposure({ host })).toThrow(refused);
      expect(() => checkExposure({ host, publicOrigin: "http://localhost:8080" })).toThrow(refused);
      expect(() => checkExposure({ host, certificate })).not.toThrow();
      expect(() => checkExposure({ host, publicOrigin: "https://sb.example" })).not.toThrow();
    },
  );

  it.each([
    "sb.example",
    "https://sb.example/",
    "https://sb.example/path",
    "http://sb.example",
    "https://u@sb.example",
    "*",
    "null",
  ])("refuses %s as a public origin", (publicOrigin) => {
    expect(() => checkExposure({ host: "127.0.0.1", publicOrigin })).toThrow(
      expect.objectContaining({ code: "invalid_params" }),
    );
  });
});

describe("originsOf", () => {
  it("has the loopback names, and the public origin without our port", () => {
    const exposure = { host: "127.0.0.1", publicOrigin: "https://sb.example" };
    expect([...originsOf(exposure, 8080)]).toEqual([
      ["127.0.0.1:8080", "http://127.0.0.1:8080"],
      ["localhost:8080", "http://localhost:8080"],
      ["[::1]:8080", "http://[::1]:8080"],
      ["sb.example", "https://sb.example"],
    ]);
    expect(originFor(exposure, 8080)).toBe("https://sb.example");
    expect(originFor({ host: "::1" }, 8080)).toBe("http://[::1]:8080");
    expect(originsOf({ host: "127.0.0.1" }, 80).has("127.0.0.1")).toBe(true);
  });

  it("has the exact names of a certificate, and none by a wildcard", () => {
    const exposure = { host: "0.0.0.0", certificate };
    expect([...originsOf(exposure, 443).keys()]).toEqual([
      "127.0.0.1",
      "localhost",
      "[::1]",
      "switchboard.test",
      "10.1.2.3",
    ]);
    expect(originFor(exposure, 8443)).toBe("https://switchboard.test:8443");
  });
});
