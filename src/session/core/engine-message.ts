import type { EngineMessage } from "../../engine/message.ts";
import type { StoredText } from "../../wire/blob.ts";
import type { StoredContentBlock, ContentBlock } from "../../wire/content.ts";
import type { MessagePriority } from "../../wire/session-terms.ts";
import { uuidOf } from "./message-id.ts";

/** A message's words and marks, as a command carries them. */
export interface Words {
  id: string;
  text?: string | undefined;
  content?: readonly ContentBlock[] | undefined;
  from?: string | undefined;
  priority?: MessagePriority | undefined;
  quiet?: boolean | undefined;
}

/** As it is handed to the CLI. What is not the user's own begins by saying whose it is. */
export function toEngineMessage(words: Words): EngineMessage {
  const { id, text, content, from, priority, quiet } = words;
  const said = text ?? [...(content ?? [])];
  const body =
    from === undefined
      ? said
      : typeof said === "string"
        ? `${speaker(from)}\n\n${said}`
        : [{ type: "text" as const, text: speaker(from) }, ...said];
  return {
    id: uuidOf(id),
    // The schema takes the blocks that the Messages API takes; only the media types are not spelt out.
    content: body as EngineMessage["content"],
    ...(priority !== undefined && { priority }),
    ...(quiet === true && { quiet }),
    ...(from !== undefined && { relayed: true }),
  };
}

/** Quoted as JSON, so that a name cannot end the line and speak for itself. */
const speaker = (from: string): string =>
  `Message from ${JSON.stringify(from)}, who is not the user:`;

type LoadText = (text: StoredText) => Promise<string>;

/** Blocks as they were before the log put their large parts aside. */
export async function loadBlocks(
  blocks: readonly StoredContentBlock[],
  load: LoadText,
): Promise<ContentBlock[]> {
  return Promise.all(
    blocks.map(async (block): Promise<ContentBlock> => {
      if (block.type === "text") return { ...block, text: await load(block.text) };
      if (block.type === "image") return { ...block, source: await loadSource(block.source, load) };
      return { ...block, source: await loadSource(block.source, load) };
    }),
  );
}

async function loadSource<Source extends { type: string }>(
  source: Source,
  load: LoadText,
): Promise<Loaded<Source>> {
  const { data } = source as { data?: StoredText };
  const whole = data === undefined ? source : { ...source, data: await load(data) };
  return whole as Loaded<Source>;
}

type Loaded<Source> = Source extends { data: StoredText }
  ? Omit<Source, "data"> & { data: string }
  : Source;
