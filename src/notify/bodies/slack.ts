import { fitText } from "../../text/cut-text.ts";
import type { ToldNews } from "../told-news.ts";
import { bodyOf, fitBeginning } from "../told-news.ts";

// Limits of Block Kit: 3,000 characters in a text object, 50 blocks. Ten blocks are as much as anybody reads.
export const MAX_SECTION_CHARS = 3_000;
const MAX_SECTIONS = 10;
const MAX_TITLE_CHARS = 300;

/**
 * A message for an incoming webhook of Slack. What agents wrote stands in `plain_text` only, in which Slack reads no markup; the three
 * characters that Slack reads everywhere are written as entities, so there is no mention and no link but ours.
 */
export function slackBody(news: ToldNews): object {
  const title = escapeSlack(fitText(news.title, MAX_TITLE_CHARS));
  const body = bodyOf(news, (text) =>
    fitBeginning(text, (shown) => sectionsOf(shown).length <= MAX_SECTIONS),
  );
  return {
    text: title,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      section(title),
      ...sectionsOf(body).map(section),
      { type: "context", elements: [plain(escapeSlack(fitText(news.where, MAX_TITLE_CHARS)))] },
      ...(news.link === undefined
        ? []
        : [
            {
              type: "section",
              text: { type: "mrkdwn", verbatim: true, text: `<${news.link}|Open the page>` },
            },
          ]),
    ],
  };
}

export const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const plain = (text: string) => ({ type: "plain_text", text, emoji: false }) as const;
const section = (text: string) => ({ type: "section", text: plain(text) }) as const;

/** The text in pieces that each fit into a block when they are escaped. No piece ends within an entity or a character. */
function sectionsOf(text: string): string[] {
  const sections: string[] = [];
  let now = "";
  for (const letter of text) {
    const escaped = escapeSlack(letter);
    if (now.length + escaped.length > MAX_SECTION_CHARS) {
      sections.push(now);
      now = "";
    }
    now += escaped;
  }
  // Slack refuses an empty text.
  return [...sections, now].filter((each) => each.trim() !== "");
}
