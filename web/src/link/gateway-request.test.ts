// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { askGateway } from "./gateway-request.ts";

afterEach(() => vi.unstubAllGlobals());

function answerWith(body: string, status: number): void {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body, { status })));
}

test("`askGateway` throws the error that the gateway sends, with its code and its words", async () => {
  const error = { code: "invalid_params", message: "Nobody may be called user.", retryable: false };
  answerWith(JSON.stringify(error), 422);
  await expect(askGateway("k", "/auth/links")).rejects.toMatchObject({
    code: "invalid_params",
    message: "Nobody may be called user.",
  });
});

test("`askGateway` throws the status of an answer that nobody of ours has written", async () => {
  answerWith("<h1>Bad gateway</h1>", 502);
  await expect(askGateway("k", "/auth/links")).rejects.toThrow("HTTP 502");
});
