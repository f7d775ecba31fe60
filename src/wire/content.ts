import * as z from "zod";
import { StoredTextSchema } from "./blob.ts";

// Text, images and documents in the form of the Messages API, so that they pass through unchanged.

const ContentTextSchema = z.string().min(1);

/** A client sends complete payloads; in the log a large one is a reference. */
const blockOf = <Payload extends z.ZodType>(payload: Payload) => {
  const base64 = z.object({
    type: z.literal("base64"),
    media_type: z.string().min(1).describe("As in image/png."),
    data: payload,
  });
  const url = z.object({ type: z.literal("url"), url: z.url() });
  const plain = z.object({
    type: z.literal("text"),
    media_type: z.literal("text/plain"),
    data: payload,
  });
  return z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: payload }),
    z.object({ type: z.literal("image"), source: z.discriminatedUnion("type", [base64, url]) }),
    z.object({
      type: z.literal("document"),
      source: z.discriminatedUnion("type", [base64, url, plain]),
      title: z.string().optional(),
    }),
  ]);
};

export const ContentBlockSchema = blockOf(ContentTextSchema).meta({ id: "ContentBlock" });
export type ContentBlock = z.infer<typeof ContentBlockSchema>;

export const StoredContentBlockSchema = blockOf(StoredTextSchema).meta({
  id: "StoredContentBlock",
});
export type StoredContentBlock = z.infer<typeof StoredContentBlockSchema>;

/** The rule of a message that has either `text` or `content`. */
export const eitherTextOrContent = <S extends z.ZodObject>(message: S): S =>
  message
    .refine(({ text, content }) => (text === undefined) !== (content === undefined), {
      error: "expected either text or content",
    })
    .meta({ oneOf: [{ required: ["text"] }, { required: ["content"] }] });
