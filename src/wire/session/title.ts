import * as z from "zod";

const MAX_TITLE_LENGTH = 200;

/** The title of a conversation, as a person may choose it. */
export const TitleSchema = z
  .string()
  .max(MAX_TITLE_LENGTH)
  .regex(/\S/, { error: "expected a text that is not blank" })
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, { error: "expected one line of text" })
  .describe("One line.");
