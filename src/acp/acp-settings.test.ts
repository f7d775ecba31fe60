import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { errorOf } from "../wire/errors.ts";
import { abilitiesOf, noAbilities } from "./abilities.ts";
import type { SessionConfig } from "./config-options.ts";
import { changed, configChange, configOptions, modeState } from "./config-options.ts";
import { canFillInForms, faceName } from "./editor.ts";
import { mcpConfigsOf } from "./mcp-servers.ts";
import { startFlags } from "./start-flags.ts";
import { stdioStream } from "./stdio-stream.ts";
import { toRequestError } from "./to-request-error.ts";

test("`abilitiesOf` takes nothing for granted that the editor did not offer", () => {
  expect(abilitiesOf(undefined)).toEqual(noAbilities);
  expect(abilitiesOf({ elicitation: { form: {}, url: null }, session: { notices: {} } })).toEqual({
    ...noAbilities,
    forms: true,
    notices: true,
  });
  expect(abilitiesOf({ _meta: { terminal_output: true } })).toMatchObject({ terminalOutput: true });
});

test("`faceName` tells whether the editor can show forms", () => {
  expect(faceName("Zed Preview!", { ...noAbilities, forms: true })).toBe("acp:Zed-Preview-");
  expect(canFillInForms(faceName("zed", noAbilities))).toBe(false);
  expect(canFillInForms("browser")).toBe(true);
});

const config: SessionConfig = {
  mode: "default",
  model: "claude-sonnet-5",
  choices: {
    modes: ["default", "plan"],
    models: [
      { id: "sonnet", label: "Sonnet", model: "claude-sonnet-5", efforts: ["low", "high"] },
      { id: "haiku", label: "Haiku", efforts: [] },
    ],
  },
};

test("`configOptions` offers mode, model and effort, with what is chosen", () => {
  const chosen = configOptions(config).map(({ id, category, currentValue }) => [
    id,
    category,
    currentValue,
  ]);
  expect(chosen).toEqual([
    ["mode", "mode", "default"],
    ["model", "model", "sonnet"],
    ["effort", "thought_level", "default"],
  ]);
  expect(configOptions({ ...config, model: "haiku" }).map(({ id }) => id)).toEqual([
    "mode",
    "model",
  ]);
  expect(configOptions({ ...config, choices: {} })).toMatchObject([
    { id: "mode" },
    { id: "model", currentValue: "claude-sonnet-5" },
  ]);
  expect(modeState({ ...config, mode: "auto" })).toMatchObject({ currentModeId: "auto" });
});

test.each([
  ["mode", "plan", { set: "mode", mode: "plan" }],
  ["mode", "yolo", undefined],
  ["model", "haiku", { set: "model", model: "haiku" }],
  ["effort", "high", { set: "effort", effort: "high" }],
  ["effort", "default", { set: "effort", effort: null }],
  ["effort", true, undefined],
  ["other", "x", undefined],
])("`configChange` of %s to %j is %j", (id, value, change) => {
  expect(configChange(config, id, value)).toEqual(change);
});

test("`changed` has the new choice", () => {
  expect(changed(config, { set: "effort", effort: "low" })).toMatchObject({ effort: "low" });
  expect(changed(config, { set: "mode", mode: "plan" })).toMatchObject({ mode: "plan" });
  expect(changed(config, { set: "model", model: "haiku" })).toMatchObject({ model: "haiku" });
});

test("`mcpConfigsOf` has the editor's servers in the form of .mcp.json", () => {
  expect(
    mcpConfigsOf([
      { name: "a", command: "x", args: ["-y"], env: [{ name: "K", value: "v" }] },
      { type: "http", name: "b", url: "https://b", headers: [{ name: "H", value: "w" }] },
      { type: "sse", name: "c", url: "https://c", headers: [] },
    ]),
  ).toEqual({
    a: { command: "x", args: ["-y"], env: { K: "v" } },
    b: { type: "http", url: "https://b", headers: { H: "w" } },
    c: { type: "sse", url: "https://c", headers: {} },
  });
});

test("`startFlags` has what the person and the editor want", () => {
  const settings = { hostFlags: ["--trust"], lingerMs: 5, approvalTimeoutMs: 0 };
  const wish = { cwd: "/w", additionalDirectories: ["/x"], mcpConfig: "/m.json" };
  const common = [
    "--linger-ms",
    "5",
    "--approval-timeout-ms",
    "0",
    "--add-dir",
    "/x",
    "--mcp-config",
    "/m.json",
    "--trust",
  ];
  expect(startFlags(settings, { ...wish, beginning: { type: "new" } })).toEqual([
    "--cwd",
    "/w",
    ...common,
  ]);
  expect(startFlags(settings, { ...wish, beginning: { type: "fork", sessionId: "s" } })).toEqual([
    "--cwd",
    "/w",
    "--resume",
    "s",
    "--fork",
    ...common,
  ]);
});

test.each([
  [errorOf("authentication_failed", "No key."), -32000, "authentication_failed"],
  [errorOf("session_not_found", "None."), -32002, "session_not_found"],
  // ACP gives these two numbers of ours another meaning.
  [errorOf("agent_not_found", "None."), -32603, "agent_not_found"],
  [errorOf("rate_limited", "Slow."), -32603, "rate_limited"],
  [errorOf("overloaded", "Busy."), -32033, "overloaded"],
  [new Error("odd"), -32603, "internal"],
])("`toRequestError` of %s has the number %d and the code %s", (error, code, own) => {
  expect(toRequestError(error)).toMatchObject({ code, data: { code: own } });
});

test("`stdioStream` answers what is no JSON and goes on", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { readable } = stdioStream(input, output);
  input.end('nonsense\n{"jsonrpc":"2.0","method":"x"}\n');
  const messages: unknown[] = [];
  for await (const message of readable) messages.push(message);
  expect(messages).toEqual([{ jsonrpc: "2.0", method: "x" }]);
  expect(JSON.parse(String(output.read()))).toMatchObject({
    id: null,
    error: { code: -32700, data: { code: "parse_error" } },
  });
});
