import type { PageState } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import type { Destination } from "./go-to-items.ts";
import { sessionPlaces, teamPlaces } from "./places.ts";

const MAX_TEXT = 200;

/** All that a person can go to from here: views, agents, tasks, and messages by their words. */
export function destinations({ team, session }: PageState): readonly Destination[] {
  const views = (team ? teamPlaces : sessionPlaces).map(({ path, word }): Destination => ({
    kind: "view",
    text: t(word),
    more: "",
    path,
  }));
  if (session) return [...views, ...turnsOf(session.conversation.value)];
  if (team === undefined) return views;
  const { openTasks, endedTasks, messages } = team.view;
  const tasks = [...openTasks.values(), ...endedTasks.values()].toReversed();
  return [
    ...views,
    ...team.agents.value.map(({ id, state }): Destination => ({
      kind: "agent",
      text: id,
      more: t(`state.${state}`),
      path: `/a/${id}`,
    })),
    ...tasks.map(({ id, title, to_agent }): Destination => ({
      kind: "task",
      text: title,
      more: to_agent,
      path: `/tasks/${id}`,
    })),
    ...[...messages.values()]
      .toReversed()
      .map(({ message: { id, content, from_agent, to_agent } }): Destination => ({
        kind: "message",
        text: content.slice(0, MAX_TEXT),
        more: `${from_agent} → ${to_agent}`,
        path: `/mail/${id}`,
      })),
  ];
}

type Conversation = NonNullable<PageState["session"]>["conversation"]["value"];

/** What the person has written, each leading to its turn. */
const turnsOf = ({ items }: Conversation): Destination[] =>
  items
    .flatMap((item): Destination[] => {
      if (item.kind !== "message" || item.turnId === undefined) return [];
      const { text: stored = "" } = item.message;
      const text = typeof stored === "string" ? stored : stored.preview;
      return text === ""
        ? []
        : [
            {
              kind: "message",
              text: text.slice(0, MAX_TEXT),
              more: "",
              path: `/talk#${item.turnId}`,
            },
          ];
    })
    .toReversed();
