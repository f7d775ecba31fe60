import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { planAnew, planSession } from "./session-plan.ts";
import type { ClaudeCodeSettings } from "./provider-settings.ts";

const plan = (
  options: Partial<LanguageModelV4CallOptions> = {},
  settings: ClaudeCodeSettings = {},
  modelId = "sonnet",
) =>
  planSession(modelId, settings, {
    prompt: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Go." }] },
    ],
    ...options,
  });

test("model mode has no tools and no prompt but the caller's", () => {
  const { session, transport, content } = plan();
  expect(session).toMatchObject({
    model: "sonnet",
    builtInTools: [],
    systemPrompt: "",
    appendSystemPrompt: "Be brief.",
    settingSources: [],
  });
  expect([transport, content]).toEqual(["sdk", "Go."]);
  expect(plan({}, {}, "default").session).not.toHaveProperty("model");
});

test("agent mode keeps Claude Code's own prompt, and a call's options override the settings", () => {
  const settings = { builtInTools: ["Bash"], effort: "low", transport: "stdio" } as const;
  const { session, transport } = plan(
    { reasoning: "high" },
    { ...settings, builtInTools: ["Bash"] },
  );
  expect(session).toMatchObject({ builtInTools: ["Bash"], effort: "high" });
  expect(session).not.toHaveProperty("systemPrompt");
  expect(transport).toBe("stdio");
});

test.each<[string, Partial<LanguageModelV4CallOptions>]>([
  ["another schema", { responseFormat: { type: "json", schema: { type: "object" } } }],
  ["another effort", { reasoning: "high" }],
  ["another limit", { maxOutputTokens: 10 }],
])("%s needs another session", (_name, options) => {
  expect(plan(options).key).not.toBe(plan().key);
  expect(plan({ ...options, temperature: 1 }).key).toBe(plan(options).key);
});

test("a resumed session gets what is new; any other gets everything", () => {
  const options: LanguageModelV4CallOptions = {
    prompt: [
      { role: "user", content: [{ type: "text", text: "Before." }] },
      { role: "assistant", content: [{ type: "text", text: "Yes." }] },
      { role: "user", content: [{ type: "text", text: "Now." }] },
    ],
    providerOptions: { "claude-code": { resume: "x" } },
  };
  const resumed = plan(options);
  expect([resumed.session.resume, resumed.content]).toEqual(["x", "Now."]);
  const anew = planAnew(resumed, options);
  expect(anew.session).not.toHaveProperty("resume");
  expect(JSON.stringify(anew.content)).toMatch(/Before\..*Yes\..*Now\./);
});

test("JSON without a schema is requested in words, with a schema by the output tool", () => {
  expect(plan({ responseFormat: { type: "json" } }).session.appendSystemPrompt).toContain("JSON");
  for (const $schema of ["x", "http://json-schema.org/draft-07/schema#"]) {
    const schema = { $schema, type: "object", properties: {} } as const;
    const { session, output } = plan({ responseFormat: { type: "json", schema } });
    expect(session.outputSchema).not.toHaveProperty("$schema");
    expect(output).toBeDefined();
  }
});
