// The AI SDK with Claude Code as its model: your `tools` run, step by step, in one session.
//
//   npm ci && npm run build                  (once, in the checkout)
//   npx node examples/ai-sdk-tools/main.js
//
// It checks itself, and ends with "ok".
import { deepEqual, equal } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClaudeCode } from "agent-switchboard/model";
import { rehearsalEnvironment, startRehearsal } from "agent-switchboard/rehearsal";
import { generateText, isStepCount, Output, tool } from "ai";
import { z } from "zod";

// The model's part: it looks at two cities at once, then at a third, and then gives an object.
const calls = (...cities) => ({
  tools: cities.map((city) => ({ name: "mcp__tools__weather", input: { city } })),
});
const script = (_request, { turn }) =>
  [
    calls("Berlin", "Paris"),
    calls("Rome"),
    { tools: [{ name: "StructuredOutput", input: { warmest: "Rome" } }] },
  ][turn - 1] ?? { text: "Rome is the warmest." };

const rehearsal = await startRehearsal({ script });
const place = mkdtempSync(join(tmpdir(), "switchboard-example-"));

// With a real model, `createClaudeCode()` is all: it uses the account that `claude` uses.
const claude = createClaudeCode({
  cwd: place,
  env: {
    HOME: place,
    CLAUDE_CONFIG_DIR: join(place, "config"),
    ...rehearsalEnvironment(rehearsal.url),
  },
});

const degrees = { Berlin: 9, Paris: 14, Rome: 21 };
const asked = [];
const { output, steps, providerMetadata } = await generateText({
  model: claude("sonnet"),
  tools: {
    weather: tool({
      description: "Tells the temperature in a city.",
      inputSchema: z.object({ city: z.enum(["Berlin", "Paris", "Rome"]) }),
      execute: ({ city }) => {
        asked.push(city);
        return { degrees: degrees[city] };
      },
    }),
  },
  output: Output.object({ schema: z.object({ warmest: z.string() }) }),
  stopWhen: isStepCount(5),
  prompt: "Where is it warmest?",
});

for (const { toolResults } of steps) {
  for (const { input, output: found } of toolResults) console.log(input.city, found.degrees);
}
console.log(output, providerMetadata["claude-code"].sessionId);
deepEqual(asked, ["Berlin", "Paris", "Rome"]);
deepEqual(output, { warmest: "Rome" });
equal(steps.length, 3);
// One session for all steps.
equal(new Set(steps.map((step) => step.providerMetadata["claude-code"].sessionId)).size, 1);

await claude.close();
await rehearsal.close();
rmSync(place, { recursive: true, force: true });
console.log("ok");
