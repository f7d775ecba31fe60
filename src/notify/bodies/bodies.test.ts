import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToldNews } from "../told-news.ts";
import {
  discordBody,
  escapeDiscord,
  MAX_CONTENT_CHARS,
  MAX_DESCRIPTION_CHARS,
  MAX_EMBED_TITLE_CHARS,
} from "./discord.ts";
import { MAX_JSON_BYTES, MAX_MESSAGE_BYTES, ntfyBody, ntfyTarget } from "./ntfy.ts";
import { escapeSlack, MAX_SECTION_CHARS, slackBody } from "./slack.ts";
import { newsOfCall } from "../news.ts";

const attack =
  "<!everyone> <@U123> <https://evil.example|Approve> @everyone @here <@&1> [Approve](https://evil.example) ``` *b* &lt;";

const newsWith = (text: string, title = text, link = "http://127.0.0.1:1/calls/x"): ToldNews => ({
  id: "3f8b0c1e-0000-8000-8000-000000000000",
  kind: "asked",
  at: "2026-11-18T12:00:00.000Z",
  where: title,
  who: "boss",
  title,
  text,
  repeated: false,
  link,
});

const longTexts = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 0, maxLength: 300 }),
  fc
    .tuple(fc.constantFrom("a", "<", "\n", "\\", '"', "`", "😀", "語", "& "), fc.nat(40_000))
    .map(([unit, count]) => unit.repeat(count)),
);

interface Slack {
  text: string;
  mrkdwn: boolean;
  unfurl_links: boolean;
  blocks: { type: string; text?: { type: string; text: string } }[];
}

describe("slackBody", () => {
  test("shows what agents wrote as plain text with escaped signs; the only markup is our link", () => {
    const body = slackBody(newsWith(attack)) as Slack;
    const marked = body.blocks.filter(({ text }) => text?.type === "mrkdwn");
    expect(marked.map(({ text }) => text?.text)).toEqual([
      "<http://127.0.0.1:1/calls/x|Open the page>",
    ]);
    const own = JSON.stringify({
      ...body,
      blocks: body.blocks.filter((each) => !marked.includes(each)),
    });
    expect(own).not.toMatch(/[<>]/);
    expect(own).toContain("&lt;!everyone&gt; &lt;@U123&gt; &lt;https://evil.example|Approve&gt;");
    expect(own).toContain("&amp;lt;");
    expect(body).toMatchObject({ mrkdwn: false, unfurl_links: false, unfurl_media: false });
    expect(escapeSlack("a & <b>")).toBe("a &amp; &lt;b&gt;");
  });

  test("keeps to the limits of Block Kit for any text, and says what is cut", () => {
    fc.assert(
      fc.property(longTexts, (text) => {
        const { blocks } = slackBody(newsWith(text, `t ${text}`)) as Slack;
        expect(blocks.length).toBeLessThanOrEqual(50);
        for (const { type, text: shown } of blocks) {
          if (type !== "section") continue;
          expect(shown?.text.length).toBeGreaterThanOrEqual(1);
          expect(shown?.text.length).toBeLessThanOrEqual(MAX_SECTION_CHARS);
          // No entity is cut in two.
          expect(shown?.text.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toContain("&");
        }
      }),
    );
    const { blocks } = slackBody(newsWith("x".repeat(60_000), "t")) as Slack;
    expect(blocks.at(-3)?.text?.text).toMatch(
      /… *\n\(\d+ more characters are not shown\. Decide on the page\.\)$/,
    );
    const whole = slackBody(newsWith("y".repeat(20_000), "t")) as Slack;
    expect(whole.blocks.map(({ text }) => text?.text ?? "").join("")).toContain("y".repeat(20_000));
  });
});

interface Discord {
  content: string;
  allowed_mentions: unknown;
  embeds: { title: string; description: string; url?: string }[];
}

describe("discordBody", () => {
  test("mentions nobody, and shows what agents wrote in one code block", () => {
    const { content, allowed_mentions, embeds } = discordBody(newsWith(attack)) as Discord;
    expect(allowed_mentions).toEqual({ parse: [] });
    const [embed] = embeds;
    expect(embed?.description.match(/```/g)).toHaveLength(2);
    expect(embed?.description).toContain("[U+0060][U+0060][U+0060]");
    expect(embed?.url).toBe("http://127.0.0.1:1/calls/x");
    for (const line of [content, embed?.title ?? ""]) {
      expect(line.replaceAll(/\\[^\p{L}\p{M}\p{N}\s]/gu, "")).not.toMatch(/[<>@[\]()`*_~|#]/);
    }
    expect(escapeDiscord("[a](b) x_1 😀")).toBe("\\[a\\]\\(b\\) x\\_1 😀");
  });

  test("keeps to the limits of Discord for any text, and says what is cut", () => {
    fc.assert(
      fc.property(longTexts, (text) => {
        const { content, embeds } = discordBody(newsWith(text)) as Discord;
        const [embed] = embeds;
        expect(content.length).toBeLessThanOrEqual(MAX_CONTENT_CHARS);
        expect(embed?.title.length).toBeLessThanOrEqual(MAX_EMBED_TITLE_CHARS);
        expect(embed?.description.length).toBeLessThanOrEqual(MAX_DESCRIPTION_CHARS);
      }),
    );
    const { embeds } = discordBody(newsWith("x".repeat(9_000))) as Discord;
    expect(embeds[0]?.description).toMatch(
      /more characters are not shown\. Decide on the page\.\)\n```$/,
    );
  });
});

describe("ntfyBody", () => {
  test("is plain text with Markdown off, and the link is that of the message", () => {
    expect(ntfyBody(newsWith(attack), "mine")).toMatchObject({
      topic: "mine",
      markdown: false,
      message: `${attack}\n${attack}`,
      click: "http://127.0.0.1:1/calls/x",
    });
  });

  test("keeps to the limits of ntfy for any text, and says what is cut", () => {
    fc.assert(
      fc.property(longTexts, (text) => {
        const body = ntfyBody(newsWith(text, "title"), "mine") as { message: string };
        expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
        expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(MAX_JSON_BYTES);
      }),
    );
    const { message } = ntfyBody(newsWith("語".repeat(3_000)), "mine") as { message: string };
    expect(message).toMatch(/more characters are not shown/);
  });

  test("goes to the server, and takes the topic from the address", () => {
    const { topic, url } = ntfyTarget(new URL("https://ntfy.sh/my%20topic?auth=x"));
    expect([topic, url.href]).toEqual(["my topic", "https://ntfy.sh/?auth=x"]);
    expect(ntfyTarget(new URL("https://h/base/t/")).url.href).toBe("https://h/base");
  });
});

test("news of a call show the whole command, and every character that a person would not see", () => {
  const command = `echo ${"x".repeat(5_000)} \u202Egnp.exe\u200B`;
  const news = newsOfCall(
    { where: "t", key: "t" },
    "boss",
    {
      type: "approval_request",
      seq: 1,
      at: "2026-11-18T12:00:00.000Z",
      request_id: "r",
      tool: "Ba\u200Bsh",
      input: { command },
      scopes: [{ scope: "once", label: "Once" }],
    },
    "2026-11-18T12:00:00.000Z",
  );
  expect(news.text).toContain(`echo ${"x".repeat(5_000)} [U+202E]gnp.exe[U+200B]`);
  expect(news.title).toBe("boss wants to use Ba[U+200B]sh");
  expect(news.tool).toBe("Ba[U+200B]sh");
});
