import { defineTool } from "agent-switchboard/bridge";
import { z } from "zod";

let total = 0;

export const addToTotal = defineTool({
  name: "add_to_total",
  description: "Adds a number to the running total and returns the total.",
  input: z.object({ amount: z.number() }),
  handler: ({ amount }) => ({ total: (total += amount) }),
});
