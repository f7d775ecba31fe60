import * as z from "zod";

/** An enum whose JSON Schema also says what each value means. */
export function closedList<const Meanings extends Record<string, string>>(meanings: Meanings) {
  type Value = keyof Meanings & string;
  const values = Object.keys(meanings) as [Value, ...Value[]];
  const lines = Object.entries(meanings).map(([value, meaning]) => `${value}: ${meaning}`);
  return z.enum(values).describe(lines.join("\n"));
}
