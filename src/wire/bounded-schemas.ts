import * as z from "zod";
import type { OwnFailure } from "./check-message.ts";
import { encodeUtf8 } from "./utf8.ts";

/** A string whose UTF-8 form has at most `maxBytes` bytes; a longer one is `message_too_large`. */
export const textWithin = (maxBytes: number) =>
  z
    .string()
    .superRefine((text, context) => measure(text, maxBytes, context))
    // JSON Schema counts characters, of which there are never more than bytes.
    .meta({ maxLength: maxBytes });

/** `schema`, for a value whose JSON has at most `maxBytes` bytes; a longer one is `message_too_large`. */
export const jsonWithin = <S extends z.ZodType>(maxBytes: number, schema: S): S =>
  schema.superRefine((value, context) => measure(JSON.stringify(value), maxBytes, context));

function measure(text: string, maxBytes: number, context: z.RefinementCtx): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need not be encoded to be measured.
  if (text.length * 3 <= maxBytes) return;
  const size = encodeUtf8(text).length;
  if (size <= maxBytes) return;
  context.addIssue({
    code: "custom",
    message: `${size} bytes are over the limit of ${maxBytes}`,
    params: {
      code: "message_too_large",
      facts: { size, limit: maxBytes },
    } satisfies OwnFailure,
  });
}

/**
 * `schema`, for an array or object of at most `max` items. A longer one is refused unread: zod would collect an issue
 * for every bad item, and a few megabytes of them take seconds and gigabytes.
 */
export const atMost = <S extends z.ZodType>(
  max: number,
  schema: S,
): z.ZodType<z.output<S>, z.input<S>> =>
  z
    .preprocess((value, context) => {
      const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
      if (count > max) {
        const message = `expected at most ${max} items, received ${count}`;
        context.addIssue({ code: "custom", message });
      }
      return value;
    }, schema)
    .meta(schema.type === "array" ? { maxItems: max } : { maxProperties: max }) as z.ZodType<
    z.output<S>,
    z.input<S>
  >;
