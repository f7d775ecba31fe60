import { afterEach, expect, it, vi } from "vitest";
import { cliEnvironment } from "./cli-environment.ts";

afterEach(() => void vi.unstubAllEnvs());

const retries = (extra: Record<string, string> = {}) =>
  cliEnvironment(extra)["CLAUDE_CODE_MAX_RETRIES"];

it("the CLI gives up on the API after a few attempts, unless user or program set another number", () => {
  vi.stubEnv("CLAUDE_CODE_MAX_RETRIES", undefined);
  expect(retries()).toBe("4");
  vi.stubEnv("CLAUDE_CODE_MAX_RETRIES", "7");
  expect(retries()).toBe("7");
  expect(retries({ CLAUDE_CODE_MAX_RETRIES: "1" })).toBe("1");
});
