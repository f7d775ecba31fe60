import { useComputed } from "@preact/signals";
import { usePage } from "../state/page-state.ts";
import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";
import { AgentTalk } from "./agent-talk.tsx";
import { SessionTalk } from "./session-talk.tsx";

/** The page of one conversation: of the served session, of a team's lead, or of the agent that the address names. */
export default function TalkView({
  agent,
  tab,
}: {
  readonly agent?: string;
  readonly tab?: string;
}) {
  const { team, session } = usePage();
  const lead = useComputed(() => team?.status.value?.lead).value;
  if (session) return <SessionTalk session={session} />;
  const id = agent ?? lead;
  if (!team || id === undefined) return <Empty title={t("talk.opening")} />;
  return <AgentTalk key={id} agent={id} tab={tab} />;
}
