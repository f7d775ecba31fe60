import { useId, useState } from "preact/hooks";
import type { AgentStatus } from "agent-switchboard/wire";
import type { TalkState } from "../state/talk-state.ts";
import type { AgentRow } from "../state/team-state.ts";
import { useAct } from "../state/use-act.ts";
import { ConfirmKey } from "../ui/confirm-key.tsx";
import { Key } from "../ui/key.tsx";
import { Failure } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import { hasProcess } from "./agent-acts.ts";
import fields from "../ui/fields.module.css";
import styles from "./papers.module.css";

type Mode = NonNullable<AgentStatus["mode"]>;
type Effort = NonNullable<AgentStatus["effort"]>;

const allModes: readonly Mode[] = [
  "default",
  "acceptEdits",
  "plan",
  "dontAsk",
  "auto",
  "bypassPermissions",
];
const allEfforts: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];
/** The choice of no effort: the model decides. */
const OWN = "";

/** Another mode, model or effort for the agent's session. Nothing changes before "Apply". */
export function AgentSettings({
  row,
  talk,
}: {
  readonly row: AgentRow;
  readonly talk?: TalkState;
}) {
  const { status } = row;
  const act = useAct();
  const id = useId();
  const [mode, setMode] = useState<Mode | undefined>(undefined);
  const [model, setModel] = useState<string | undefined>(undefined);
  const [effort, setEffort] = useState<Effort | "" | undefined>(undefined);
  const choices = talk?.choices.value ?? {};
  if (!hasProcess(row.state)) return <p class={styles.note}>{t("papers.noProcess")}</p>;
  const change = {
    ...(mode !== undefined && mode !== status.mode && { mode }),
    ...(model !== undefined &&
      model.trim() !== "" &&
      model !== status.model && { model: model.trim() }),
    ...(effort !== undefined &&
      effort !== (status.effort ?? OWN) && { effort: effort === OWN ? null : effort }),
  };
  const hasChange = Object.keys(change).length > 0;
  const apply = async (): Promise<void> => {
    if (!(await act.run("set", { agent: row.id, ...change }))) return;
    setMode(undefined);
    setModel(undefined);
    setEffort(undefined);
  };
  return (
    <form
      class={`${fields.fields} ${styles.settings}`}
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <label>
        <span>{t("talk.mode")}</span>
        <select
          value={mode ?? status.mode ?? "default"}
          onChange={({ currentTarget }) => setMode(currentTarget.value as Mode)}
        >
          {(choices.modes ?? allModes).map((each) => (
            <option key={each} value={each}>
              {t(`mode.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t("talk.modelPick")}</span>
        <input
          type="text"
          list={id}
          autocomplete="off"
          spellcheck={false}
          value={model ?? status.model ?? ""}
          onInput={({ currentTarget }) => setModel(currentTarget.value)}
        />
        <datalist id={id}>
          {(choices.models ?? []).map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
            </option>
          ))}
        </datalist>
      </label>
      <label>
        <span>{t("talk.effort")}</span>
        <select
          value={effort ?? status.effort ?? OWN}
          onChange={({ currentTarget }) => setEffort(currentTarget.value as Effort | "")}
        >
          <option value={OWN}>{t("talk.effortOwn")}</option>
          {allEfforts.map((each) => (
            <option key={each} value={each}>
              {t(`effort.${each}`)}
            </option>
          ))}
        </select>
      </label>
      {change.mode === "bypassPermissions" ? (
        <ConfirmKey
          question={t("papers.ask.bypass", { agent: row.id })}
          yes={t("papers.yes.bypass")}
          isDisabled={act.isBusy}
          onConfirm={() => void apply()}
        >
          {t("papers.apply")}
        </ConfirmKey>
      ) : (
        <Key isDisabled={!hasChange || act.isBusy} onClick={() => void apply()}>
          {t("papers.apply")}
        </Key>
      )}
      <Failure>{act.failure}</Failure>
    </form>
  );
}
