import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { describeFileError } from "../../files/describe-file-error.ts";
import type { ContentBlock } from "../../wire/content.ts";
import { errorOf } from "../../wire/errors.ts";

/** The pictures that a model can read. */
const mediaTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** A picture in a file, for a message. @throws `invalid_params` when it cannot be read or is of another kind. */
export async function pictureIn(file: string): Promise<ContentBlock> {
  const media_type = mediaTypes[extname(file).toLowerCase()];
  if (media_type === undefined) {
    throw errorOf("invalid_params", `${file} is not a picture that a model can read.`, {
      hint: `Name a file that ends with one of: ${Object.keys(mediaTypes).join(", ")}.`,
    });
  }
  const data = await readFile(file).catch((cause: unknown) => {
    throw errorOf("invalid_params", `${file}: ${describeFileError(cause)}.`, {
      cause,
      hint: "Name a file that exists and that you may read.",
    });
  });
  if (data.length === 0) {
    throw errorOf("invalid_params", `${file} is empty.`, { hint: "Name a picture." });
  }
  return { type: "image", source: { type: "base64", media_type, data: data.toString("base64") } };
}
