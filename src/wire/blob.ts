import * as z from "zod";
import { BlobIdSchema } from "./id-schemas.ts";

/** A payload over this many bytes is stored as a blob, and a reference replaces it. */
export const MAX_INLINE_BYTES = 262_144;

export const BlobRefSchema = z
  .object({
    blob: BlobIdSchema,
    bytes: z.int().min(0).describe("Size of the whole payload."),
    preview: z.string().describe("Its beginning."),
  })
  .meta({ id: "BlobRef", description: "Stands in place of a payload of more than 262,144 bytes." });
export type BlobRef = z.infer<typeof BlobRefSchema>;

/** A text that may be large: itself, or a reference to its blob. */
export const StoredTextSchema = z.union([z.string(), BlobRefSchema], {
  error: "expected string or {blob, bytes, preview}",
});
export type StoredText = z.infer<typeof StoredTextSchema>;
