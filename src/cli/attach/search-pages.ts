import type { SessionClient } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import { cleanText } from "./clean-text.ts";

/** How many hits are shown at a time. */
const PAGE = 10;

type Found = Awaited<ReturnType<SessionClient["search"]>>;
type Hit = Found["hits"][number];

/** What kind of event a hit is in, for a person. */
const kinds: Readonly<Record<string, string | undefined>> = {
  user_message: "message",
  text_delta: "model",
  thinking_delta: "thought",
  tool_use: "call",
  tool_result: "result",
  approval_resolved: "answer",
};

/** Searches of a person in the log of a session. */
export class SearchPages {
  readonly #client: Pick<SessionClient, "search">;
  /** Where the newest search goes on. */
  #next: { readonly text: string; readonly before: number } | undefined;

  constructor(client: Pick<SessionClient, "search">) {
    this.#client = client;
  }

  /**
   * The newest hits of a text, or without a text the next older ones of the search before; the newest is last, as in the
   * conversation.
   *
   * @throws `invalid_params` when there is nothing to go on with.
   */
  async find(text: string): Promise<string> {
    const search = text === "" ? this.#next : { text, before: undefined };
    if (!search) {
      throw errorOf("invalid_params", "There is nothing to search on.", {
        hint: "Give the text: /find TEXT",
      });
    }
    const hits: Hit[] = [];
    let { before } = search;
    let more = true;
    while (more && hits.length < PAGE) {
      const page: Found = await this.#client.search(search.text, {
        limit: PAGE - hits.length,
        ...(before !== undefined && { before }),
      });
      hits.push(...page.hits);
      ({ more, before } = page);
    }
    this.#next = more && before !== undefined ? { text: search.text, before } : undefined;
    if (hits.length === 0)
      return `"${search.text}" is not in the log${text === "" ? " before that" : ""}.`;
    const older = this.#next ? ["… /find shows older ones"] : [];
    return [...older, ...hits.toReversed().map(hitRow)].join("\n");
  }
}

function hitRow({ at, type, preview }: Hit): string {
  const words = cleanText(preview).replaceAll(/\s+/g, " ").trim();
  return `${[timeOf(at), kinds[type] ?? type].join(" ").trim()}: ${words}`;
}

/** In the time zone of the terminal. */
function timeOf(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}
