import type { EngineMessage } from "../../engine/index.ts";
import type { StoredText } from "../../wire/blob.ts";
import type { StoredContentBlock, ContentBlock } from "../../wire/content.ts";
import type { MessagePriority } from "../../wire/session/shared-schemas.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import { cliUuidOf } from "./cli-message-uuid.ts";

/** A message's text and attributes, as a command carries them. */
export interface Words {
  id: string;
  text?: string | undefined;
  content?: readonly ContentBlock[] | undefined;
  from?: string | undefined;
  priority?: MessagePriority | undefined;
  quiet?: boolean | undefined;
}

/** The message as the CLI gets it. A message that is not the user's own begins by naming its sender. */
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
    id: cliUuidOf(id),
    // The schema accepts the blocks that the Messages API accepts; only the media types are not spelt out.
    content: body as EngineMessage["content"],
    ...(priority !== undefined && { priority }),
    ...(quiet === true && { quiet }),
    ...(from !== undefined && { relayed: true }),
  };
}

/** Quoted as JSON, so that a name cannot end the line and inject text of its own. */
const speaker = (from: string): string =>
  `Message from ${JSON.stringify(from)}, who is not the user:`;

export type LoadText = (text: StoredText) => Promise<string>;

/** The blocks with their large parts loaded back from the log's blobs. */
async function loadBlocks(
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

/** Rebuilds an accepted message from its event. */
export async function loadMessage(
  event: SessionEventOf<"user_message">,
  load: LoadText,
): Promise<EngineMessage> {
  const { id, text, content, from, priority, quiet } = event;
  const words = { id, from, priority, quiet };
  if (text !== undefined) return toEngineMessage({ ...words, text: await load(text) });
  return toEngineMessage({ ...words, content: await loadBlocks(content ?? [], load) });
}
