import { fitText } from "../../text/cut-text.ts";
import type { ToldNews } from "../told-news.ts";
import { bodyOf, fitBeginning } from "../told-news.ts";

// A server of ntfy makes an attachment of a longer message, and reads JSON of at most twice the size.
export const MAX_MESSAGE_BYTES = 4_096;
export const MAX_JSON_BYTES = 2 * MAX_MESSAGE_BYTES;
const MAX_TITLE_CHARS = 200;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** A message for ntfy, which shows it as it is: Markdown stays off. */
export function ntfyBody(news: ToldNews, topic: string): object {
  const body = (message: string): object => ({
    topic,
    title: fitText(news.title, MAX_TITLE_CHARS),
    message,
    markdown: false,
    priority: news.kind === "asked" ? 4 : 3,
    ...(news.link !== undefined && { click: news.link }),
  });
  const fits = (message: string): boolean =>
    bytesOf(message) <= MAX_MESSAGE_BYTES &&
    bytesOf(JSON.stringify(body(message))) <= MAX_JSON_BYTES;
  const where = fitText(news.where, MAX_TITLE_CHARS);
  return body(
    bodyOf(news, (text) => fitBeginning(text, (shown) => fits(`${shown}\n${where}`))) +
      `\n${where}`,
  );
}

/** The topic, and the address of its server: JSON goes to the server, not to the topic. */
export function ntfyTarget(url: URL): { readonly topic: string; readonly url: URL } {
  const parts = url.pathname.split("/").filter((part) => part !== "");
  const server = new URL(url);
  server.pathname = `/${parts.slice(0, -1).join("/")}`;
  return { topic: decodeURIComponent(parts.at(-1) ?? ""), url: server };
}
