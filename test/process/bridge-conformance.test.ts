import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { content, createToolHost, defineTool } from "../../src/bridge/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import { frontWithHttp } from "./fixtures/bridge-http-front.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const judge = require.resolve("@modelcontextprotocol/conformance/dist/index.js");

/** What is the bridge's own business: a server with tools. */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
];

/** What it does not offer, or what only a server for the web has. */
const elsewhere = [
  "logging-set-level",
  "completion-complete",
  "tools-call-with-logging",
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "server-sse-polling",
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "dns-rebinding-protection",
];

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const answers: Record<string, () => unknown> = {
  test_simple_text: () => "This is a simple text response for testing.",
  test_image_content: () => content.image(PIXEL, "image/png"),
  test_audio_content: () => content.audio(Buffer.from("RIFF"), "audio/wav"),
  test_embedded_resource: () =>
    content.resource(
      "test://embedded-resource",
      "This is an embedded resource content.",
      "text/plain",
    ),
  test_multiple_content_types: () => [
    content.text("Multiple content types test:"),
    content.image(PIXEL, "image/png"),
    content.resource(
      "test://mixed-content-resource",
      '{"test":"data","value":123}',
      "application/json",
    ),
  ],
  test_error_handling: () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
};

const plain = Object.entries(answers).map(([name, handler]) =>
  defineTool({ name, description: name, input: { type: "object" }, handler }),
);

const progressing = defineTool({
  name: "test_tool_with_progress",
  description: "Tells how far it is.",
  input: { type: "object" },
  handler: async (_, { progress }) => {
    for (const done of [0, 50, 100]) {
      progress({ progress: done, total: 100 });
      await delay(50);
    }
    return "done";
  },
});

const schemaOf2020 = defineTool({
  name: "json_schema_2020_12_tool",
  description: "Has a schema with all that this version of JSON Schema knows.",
  input: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
  handler: () => "",
});

test("[IPC-11] [IPC-12] the bridge passes every scenario of MCP's conformance suite that is about tools", async () => {
  const host = createToolHost({ name: "judged", tools: [...plain, progressing, schemaOf2020] });
  onTestFinished(() => host.stop());
  const { command, args } = (await host.start()).mcpServerConfig();
  const url = await frontWithHttp(command, args);
  const baseline = join(tempDir(), "elsewhere.yaml");
  writeFileSync(baseline, `server:\n${elsewhere.map((name) => `  - ${name}\n`).join("")}`);
  const asked = ["server", "--url", url, "--suite", "all", "--expected-failures", baseline];
  // It ends well only if exactly those of the list fail.
  const { stdout } = await run(process.execPath, [judge, ...asked]);
  for (const scenario of scenarios) expect(stdout).toContain(`✓ ${scenario}:`);
});
