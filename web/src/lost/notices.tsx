import type { TeamEventOf } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import { useMayAct } from "../state/page-state.ts";
import { useAct } from "../state/use-act.ts";
import { useAsk } from "../state/use-ask.ts";
import { AgentLink } from "../ui/agent-link.tsx";
import { Key } from "../ui/key.tsx";
import { Failure, Part } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { t } from "../words/words.ts";
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
        {notices.map((notice) => (
          <li key={notice.seq}>
            <Notice notice={notice} onDone={again} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Notice({
  notice,
  onDone,
}: {
  readonly notice: TeamEventOf<"notice">;
  readonly onDone: () => void;
}) {
  const mayAct = useMayAct();
  const act = useAct();
  const { id, agent, level, message, hint, at } = notice;
  const acknowledge = async (): Promise<void> => {
    if (id !== undefined && (await act.run("ack", { id }))) onDone();
  };
  return (
    <article class={styles.letter} data-level={level}>
      <header>
        <b>{t(`lost.level.${level}`)}</b>
        {agent !== undefined && <AgentLink id={agent} />}
        <When at={at} />
      </header>
      <p class={styles.words}>
        <VisibleText text={message} />
      </p>
      {hint !== undefined && (
        <p class={styles.hint}>
          <VisibleText text={hint} />
        </p>
      )}
      {mayAct && id !== undefined && (
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
