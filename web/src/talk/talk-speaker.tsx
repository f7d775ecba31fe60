import { useEffect } from "preact/hooks";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { newsBetween } from "./spoken-news.ts";
import { useTalk } from "./talk-context.ts";
import { toolName } from "./tools/tool-summary.ts";

/** Says what counts to a person who listens: an answer begins or ends, a call fails. The transcript itself is silent. */
export function TalkSpeaker() {
  const { announcement } = usePage();
  const { state } = useTalk();
  useEffect(() => {
    let before = state.conversation.peek();
    const agent = state.agent ?? t("talk.model");
    return state.conversation.subscribe((now) => {
      const news = newsBetween(before, now);
      before = now;
      if (!news) return;
      announcement.value = { text: wordsOf(news, agent), isUrgent: false };
    });
  }, [state]);
  return null;
}

function wordsOf(news: NonNullable<ReturnType<typeof newsBetween>>, agent: string): string {
  if (news.kind === "begun") return t("say.begun", { agent });
  if (news.kind === "failed") return t("say.toolFailed", { tool: toolName(news.tool) });
  if (news.words === "") return t("say.doneSilent", { agent });
  return t("say.done", { agent, words: news.words });
}
