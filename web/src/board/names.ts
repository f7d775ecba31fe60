import { t } from "../words/words.ts";
import { USER } from "./scene/lanes.ts";

/** What an agent, or the person, is called on the page. */
export const nameOf = (id: string): string => (id === USER ? t("board.you") : id);
