import type { Conversation } from "agent-switchboard/client/core";
import type { Layout } from "./rows.ts";
import { emptyLayout, layOut } from "./rows.ts";

/** Lays a conversation out anew, and keeps what has not changed. */
export class LayoutKeeper {
  #layout: Layout = emptyLayout;
  #items: Conversation["items"] | undefined;
  #turns: Conversation["turns"] | undefined;

  layOut(conversation: Conversation): Layout {
    if (conversation.items === this.#items && conversation.turns === this.#turns) {
      return this.#layout;
    }
    this.#items = conversation.items;
    this.#turns = conversation.turns;
    this.#layout = layOut(conversation, this.#layout);
    return this.#layout;
  }
}
