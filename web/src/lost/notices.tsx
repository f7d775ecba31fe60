import type { TeamEventOf } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import { useMayAct } from "../state/page-state.ts";
import { useAct } from "../state/use-act.ts";
import { useAsk } from "../state/use-ask.ts";
import { AgentLink } from "../ui/agent-link.tsx";
import { Key } from "../ui/key.tsx";
import { Failure, Part } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { t, wordsOfNotice } from "../words/words.ts";
import styles from "./lost.module.css";

/** Warnings and errors that nobody has seen to. */
export function Notices() {
  const { answer, failure, again } = useAsk("notices", {}, ["notice", "notice_acknowledged"]);
  const notices = answer?.notices ?? [];
  return (
    <Part title={t("lost.notices")}>
      <Failure>{failure}</Failure>
      {answer !== undefined && notices.length === 0 && <p>{t("lost.noNotices")}</p>}
      <ul class={styles.list}>
        {alike(notices).map((same) => (
          <li key={same[0]?.seq}>
            <Notice notices={same} onDone={again} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

type Told = TeamEventOf<"notice">;

/** What is told of several agents in the same words stands there once. */
const alike = (notices: readonly Told[]): Told[][] => [
  ...Map.groupBy(notices, ({ level, message, hint }) =>
    JSON.stringify([level, message, hint]),
  ).values(),
];

function Notice({
  notices,
  onDone,
}: {
  readonly notices: readonly Told[];
  readonly onDone: () => void;
}) {
  const mayAct = useMayAct();
  const act = useAct();
  const [first] = notices;
  if (!first) return null;
  const { level, code, message, hint, at } = first;
  const meaning = wordsOfNotice(code);
  const agents = new Set(notices.flatMap(({ agent }) => (agent === undefined ? [] : [agent])));
  const ids = notices.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const acknowledge = async (): Promise<void> => {
    for (const id of ids) if (!(await act.run("ack", { id }))) return;
    onDone();
  };
  return (
    <article class={styles.letter} data-level={level}>
      <header>
        <b>{t(`lost.level.${level}`)}</b>
        {[...agents].map((agent) => (
          <AgentLink key={agent} id={agent} />
        ))}
        <When at={at} />
      </header>
      {meaning !== undefined && <p>{meaning}</p>}
      <p class={styles.words}>
        <VisibleText text={message} />
      </p>
      {hint !== undefined && (
        <p class={styles.hint}>
          <VisibleText text={hint} />
        </p>
      )}
      {mayAct && ids.length > 0 && (
        <p class={styles.acts}>
          <Key isDisabled={act.isBusy} onClick={() => void acknowledge()}>
            {t("lost.ack")}
          </Key>
        </p>
      )}
      <Failure>{act.failure}</Failure>
    </article>
  );
}
