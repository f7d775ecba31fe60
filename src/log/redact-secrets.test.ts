import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactFields, redactLine } from "./redact-secrets.ts";

const SECRET = "hunter2-hunter2";

const secretNames = [
  "authorization",
  "Authorization",
  "proxy-authorization",
  "x-api-key",
  "api_key",
  "apiKey",
  "ANTHROPIC_API_KEY",
  "token",
  "access_token",
  "authToken",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "password",
  "passwd",
  "client_secret",
  "set-cookie",
  "credentials",
  "privateKey",
];

describe("fields", () => {
  test.each(secretNames)("%s is hidden", (name) => {
    expect(redactFields({ [name]: SECRET })).toEqual({ [name]: "[redacted]" });
  });

  test("figures and ordinary names stay", () => {
    const fields = {
      input_tokens: 5,
      max_tokens: 6,
      key: "a",
      author: "b",
      path: "/tmp/x",
      n: null,
    };
    expect(redactFields(fields)).toEqual(fields);
  });

  test("a secret is hidden wherever it lies", () => {
    const anywhere = fc
      .tuple(
        fc.array(fc.constantFrom("list", "object", "error", "json")),
        fc.constantFrom(...secretNames),
      )
      .map(([wrappers, name]) => wrappers.reduce<unknown>(wrap, { [name]: { deep: [SECRET] } }));
    fc.assert(
      fc.property(anywhere, (value) => {
        expect(JSON.stringify(redactFields({ value }))).not.toContain(SECRET);
      }),
    );
  });

  test("an error keeps its message, stack, code and causes", () => {
    const cause = Object.assign(new TypeError("inner"), { code: "ENOENT", token: SECRET });
    const error = new Error("outer", { cause });
    expect(redactFields({ err: error })).toEqual({
      err: {
        name: "Error",
        message: "outer",
        stack: error.stack,
        cause: {
          name: "TypeError",
          message: "inner",
          stack: cause.stack,
          code: "ENOENT",
          token: "[redacted]",
        },
      },
    });
  });

  test("a cycle and endless depth come to an end", () => {
    const cycle: Record<string, unknown> = { name: "me" };
    cycle["self"] = cycle;
    expect(redactFields({ cycle })).toEqual({ cycle: { name: "me", self: "[circular]" } });
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), "end");
    expect(JSON.stringify(redactFields({ deep }))).toContain("[too deep]");
  });

  test("redaction leaves the caller's object unchanged", () => {
    const fields = { token: SECRET, list: [{ token: SECRET }] };
    redactFields(fields);
    expect(fields).toEqual({ token: SECRET, list: [{ token: SECRET }] });
  });
});

const redactText = (msg: string): unknown =>
  (JSON.parse(redactLine(`${JSON.stringify({ msg })}\n`)) as { msg: unknown }).msg;

describe("a line", () => {
  test("keys are known by their form, and the rest of the text stays", () => {
    expect(redactText(`401 for key "sk-ant-api03-abcDEF_123", try again`)).toBe(
      '401 for key "[redacted]", try again',
    );
    expect(redactText("authorization: Bearer abc.def-123456\n")).toBe(
      "authorization: Bearer [redacted]\n",
    );
  });

  test("ordinary words stay", () => {
    const text = "the bearer of good news, task sk-1, risk-assessment, disk-usage-report";
    expect(redactText(text)).toBe(text);
  });

  test("its fields are hidden by their names, and it stays one line", () => {
    expect(redactLine(`{"deep":{"token":"${SECRET}"}}\n`)).toBe(
      '{"deep":{"token":"[redacted]"}}\n',
    );
  });
});

function wrap(inner: unknown, wrapper: string): unknown {
  switch (wrapper) {
    case "list":
      return [inner];
    case "error":
      return new Error("wrapped", { cause: inner });
    case "json":
      return { toJSON: () => inner };
    default:
      return { inner };
  }
}
