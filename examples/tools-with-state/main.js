// Tools that share the state of their program: two sessions fill one cart, at the same time, and the
// program reads it as what it is, an object in its own memory.
//
//   npm ci && npm run build                  (once, in the checkout)
//   npx node examples/tools-with-state/main.js
//
// It checks itself, and ends with "ok".
import { deepEqual, equal } from "node:assert/strict";
import { content, createToolHost, defineTool } from "agent-switchboard/bridge";
import { z } from "zod";
import { withRehearsedModel } from "../session.js";

class Cart {
  #orders = new Map();

  /** One order per id, however often it arrives. */
  add(id, fruit, count) {
    this.#orders.set(id, { fruit, count });
  }

  get contents() {
    const sums = {};
    for (const { fruit, count } of this.#orders.values()) sums[fruit] = (sums[fruit] ?? 0) + count;
    return sums;
  }
}

const prices = { plum: 3, melon: 40 };
const cart = new Cart();

const add = defineTool({
  name: "add_to_cart",
  description: "Puts fruit into the cart.",
  input: z.object({ fruit: z.string(), count: z.int().min(1) }),
  // The model's id of the call tells a repeated call from a new one, so repeating does no harm.
  idempotent: true,
  handler: ({ fruit, count }, { toolUseId }) => {
    if (!(fruit in prices)) return content.error(`We have ${Object.keys(prices).join(" and ")}.`);
    cart.add(toolUseId ?? crypto.randomUUID(), fruit, count);
    return `There are now ${cart.contents[fruit]} of ${fruit} in the cart.`;
  },
});

const total = defineTool({
  name: "total",
  description: "Tells what the cart costs.",
  input: z.object({}),
  // With an output schema the result is structured content, and is checked.
  output: z.object({ cents: z.int() }),
  annotations: { readOnlyHint: true },
  handler: () => ({
    cents: Object.entries(cart.contents)
      .map(([fruit, count]) => count * prices[fruit])
      .reduce((sum, cents) => sum + cents, 0),
  }),
});

// The model's part: it buys what it is told to, then says what the tools said.
const model = ({ user = "", newToolResults }) => {
  if (newToolResults.length > 0) return { text: newToolResults.map(({ text }) => text).join("\n") };
  const [, count, fruit] = /buy (\d+) (\w+)/.exec(user) ?? [];
  if (fruit === undefined) return { tools: [{ name: "mcp__shop__total" }] };
  return { tools: [{ name: "mcp__shop__add_to_cart", input: { fruit, count: Number(count) } }] };
};

await using host = await createToolHost({ name: "shop", tools: [add, total] }).start();
await withRehearsedModel(model, async (ask) => {
  const tell = async (prompt) => {
    const answer = await ask(prompt, { shop: host.mcpServerConfig() });
    console.log(`${prompt} → ${answer}`);
    return answer;
  };

  const answers = await Promise.all([tell("buy 4 plum"), tell("buy 1 melon")]);
  deepEqual(answers, [
    "There are now 4 of plum in the cart.",
    "There are now 1 of melon in the cart.",
  ]);
  equal(await tell("buy 2 kiwi"), "We have plum and melon.");
  deepEqual(cart.contents, { plum: 4, melon: 1 });

  // What the program changes, the next session sees.
  prices.melon = 30;
  equal(await tell("what does it cost?"), '{"cents":42}');
});
console.log("ok");
