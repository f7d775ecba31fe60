import type { ContentBlock } from "agent-switchboard/wire";
import { randomId } from "./random-id.ts";
import { pictureTypes } from "../transcript/picture-types.ts";

export interface Picture {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** What the Messages API takes of one picture. */
export const MAX_PICTURE_MB = 5;
const MAX_PICTURE_BYTES = MAX_PICTURE_MB * 1024 * 1024;

export type PictureProblem = "too_large" | "no_picture";

/** Reads a file that was pasted or dropped. */
export async function pictureOf(file: File): Promise<Picture | PictureProblem> {
  if (!pictureTypes.has(file.type)) return "no_picture";
  if (file.size > MAX_PICTURE_BYTES) return "too_large";
  const data = base64Of(new Uint8Array(await file.arrayBuffer()));
  return { id: randomId(), name: file.name, mediaType: file.type, data };
}

/** A message as the model gets it: pictures first, as its makers advise, then the words. */
export function contentOf(text: string, pictures: readonly Picture[]): string | ContentBlock[] {
  if (pictures.length === 0) return text;
  const shown: ContentBlock[] = pictures.map(({ mediaType, data }) => ({
    type: "image",
    source: { type: "base64", media_type: mediaType, data },
  }));
  return text.trim() === "" ? shown : [...shown, { type: "text", text }];
}

const PART = 8192;

function base64Of(bytes: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += PART) {
    letters += String.fromCharCode(...bytes.subarray(at, at + PART));
  }
  return btoa(letters);
}
