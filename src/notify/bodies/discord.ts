import { fitText } from "../../text/cut-text.ts";
import type { ToldNews } from "../told-news.ts";
import { bodyOf, fitBeginning } from "../told-news.ts";

// Limits of Discord, in characters.
export const MAX_CONTENT_CHARS = 2_000;
export const MAX_DESCRIPTION_CHARS = 4_096;
export const MAX_EMBED_TITLE_CHARS = 256;
const MAX_TITLE_CHARS = 120;

const FENCE = "```";

/**
 * A message for a webhook of Discord. It mentions nobody, whatever it says. What agents wrote stands in a code block, in which
 * Discord reads no markup; in lines outside it each sign is escaped.
 */
export function discordBody(news: ToldNews): object {
  const title = fitText(news.title, MAX_TITLE_CHARS);
  const body = bodyOf(news, (text) =>
    fitBeginning(text, (shown) => codeBlock(shown).length <= MAX_DESCRIPTION_CHARS),
  );
  return {
    content: escapeDiscord(title),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escapeDiscord(fitText(news.where, MAX_TITLE_CHARS)),
        description: codeBlock(body),
        ...(news.link !== undefined && { url: news.link }),
      },
    ],
  };
}

export const escapeDiscord = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, (sign) => (sign.length === 1 ? `\\${sign}` : sign));

/** Three marks would end the block: they are shown as what they are. */
const codeBlock = (text: string): string =>
  `${FENCE}\n${text.replaceAll(/`{3,}/g, (marks) => "[U+0060]".repeat(marks.length))}\n${FENCE}`;
