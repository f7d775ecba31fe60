import { t } from "../words/words.ts";

/** The person's own name in messages. No agent has it. */
const USER = "user";

/** What an agent, or the person, is called on the page. */
export const nameOf = (id: string): string => (id === USER ? t("board.you") : id);
