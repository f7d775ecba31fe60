import * as z from "zod";
import { didYouMean } from "./did-you-mean.ts";

/**
 * An object without unknown fields, whose error lists the known ones: most mistakes are typos. A field without a
 * value whose name is not a word is the rest of a text: `{ user: /yes, please/ }` without quotes.
 */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const known = Object.keys(shape);
      const unknown = issue.keys.map((key) => `"${key}"`).join(", ");
      const input = issue.input as Record<string, unknown>;
      const isRest = issue.keys.some((key) => input[key] === null && !/^\w+$/.test(key));
      const meant = issue.keys.flatMap((key) => didYouMean(key, known) ?? []);
      const question = meant.length === 0 ? "" : ` Did you mean ${meant.join(", ")}?`;
      const advice = isRest ? " A text with a comma inside { } needs quotes." : question;
      return `Unknown field ${unknown}.${advice} Known here: ${known.join(", ")}.`;
    },
  });
}
