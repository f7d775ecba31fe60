import { expect, test } from "vitest";
import { checkSocketPath, MAX_SOCKET_PATH_BYTES } from "./socket-path.ts";

test("the longest path is accepted; one byte more is refused with its length and the limit", () => {
  const longest = `/${"a".repeat(MAX_SOCKET_PATH_BYTES - 1)}`;
  expect(() => checkSocketPath(longest)).not.toThrow();
  expect(() => checkSocketPath(`${longest}a`)).toThrow(
    expect.objectContaining({
      code: "socket_path_invalid",
      message: expect.stringContaining(
        `has ${MAX_SOCKET_PATH_BYTES + 1} bytes; the system allows ${MAX_SOCKET_PATH_BYTES}`,
      ),
    }),
  );
});

test("bytes count, not characters", () => {
  const umlauts = `/${"ü".repeat(MAX_SOCKET_PATH_BYTES / 2)}`;
  expect(umlauts.length).toBeLessThan(MAX_SOCKET_PATH_BYTES);
  expect(() => checkSocketPath(`${umlauts}ü`)).toThrow("bytes");
});
