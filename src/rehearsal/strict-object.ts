import { z } from "zod";

/** An object without unknown fields, whose error lists the known ones: most mistakes are slips of the pen. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const unknown = issue.keys.map((key) => `"${key}"`).join(", ");
      return `Unknown field ${unknown}. Known here: ${Object.keys(shape).join(", ")}.`;
    },
  });
}
