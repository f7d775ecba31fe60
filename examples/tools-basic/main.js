// Two functions of this program become tools of a Claude Code session.
//
//   npm ci && npm run build                  (once, in the checkout)
//   npx node examples/tools-basic/main.js
//
// It checks itself, and ends with "ok".
import { deepEqual } from "node:assert/strict";
import { createToolHost, defineTool } from "agent-switchboard/bridge";
import { z } from "zod";
import { withRehearsedModel } from "../session.js";

// With zod, TypeScript knows the types of the arguments, and defaults apply.
const convert = defineTool({
  name: "convert",
  description: "Converts a length from metres to feet or yards.",
  input: z.object({
    metres: z.number().describe("The length."),
    to: z.enum(["feet", "yards"]).default("feet"),
  }),
  annotations: { readOnlyHint: true },
  handler: ({ metres, to }) => `${Math.round(metres / { feet: 0.3048, yards: 0.9144 }[to])} ${to}`,
});

// A JSON Schema does as well. What is no string reaches the model as JSON.
const count = defineTool({
  name: "count",
  description: "Counts the words of a text.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
  handler: ({ text }) => ({ words: text.split(/\s+/).length }),
});

// The model's part: it calls the tools, once with a mistake, and then says what they said.
const model = ({ newToolResults }) =>
  newToolResults.length > 0
    ? { text: newToolResults.map(({ text }) => text).join("\n") }
    : {
        tools: [
          { name: "mcp__desk__convert", input: { metres: 100 } },
          { name: "mcp__desk__count", input: { text: "to be or not to be" } },
          { name: "mcp__desk__convert", input: { metres: "a few" } },
        ],
      };

await using host = await createToolHost({ name: "desk", tools: [convert, count] }).start();
await withRehearsedModel(model, async (ask) => {
  const answer = await ask("How long is it?", { desk: host.mcpServerConfig() });
  console.log(answer);
  deepEqual(answer.split("\n"), [
    "328 feet",
    '{"words":6}',
    // The tool did not run, and the model can correct itself.
    "IPCError: The arguments do not fit the schema of convert: metres: expected number, received string. The tool did not run. Correct the arguments and call it again.",
  ]);
});
console.log("ok");
