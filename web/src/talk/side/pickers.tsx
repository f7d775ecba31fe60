import { useComputed } from "@preact/signals";
import type { Effort, PermissionMode } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { Picker } from "./picker.tsx";
import styles from "./talk-strip.module.css";

/** The model, how much it thinks, and what it may do without asking. They show what holds, not what was asked for. */
export function Pickers() {
  const { state, actions } = useTalk();
  const [problem, setProblem] = useState<string>();
  const model = useComputed(() => state.conversation.value.model).value;
  const effort = useComputed(() => state.conversation.value.effort).value;
  const mode = useComputed(() => state.conversation.value.mode).value;
  const { models = [], modes = [] } = state.choices.value;
  const chosen = models.find((each) => each.id === model || each.model === model);
  const isLive = state.life.value.kind === "live";
  const run = (work: Promise<unknown> | undefined): void => {
    setProblem(undefined);
    work?.catch((error: unknown) => setProblem(explain(error)));
  };
  return (
    <>
      <Picker
        label={t("talk.modelPick")}
        value={chosen?.id ?? model ?? ""}
        options={models.map(({ id, label }) => ({ value: id, label }))}
        shown={chosen?.label ?? model}
        onChoose={isLive ? actions.setModel && ((id) => run(actions.setModel?.(id))) : undefined}
      />
      <Picker
        label={t("talk.effort")}
        value={effort ?? ""}
        options={[
          { value: "", label: t("talk.effortOwn") },
          ...(chosen?.efforts ?? []).map((each) => ({ value: each, label: t(`effort.${each}`) })),
        ]}
        shown={
          effort === undefined ? undefined : effort ? t(`effort.${effort}`) : t("talk.effortOwn")
        }
        onChoose={
          isLive && (chosen?.efforts.length ?? 0) > 0
            ? actions.setEffort &&
              ((each) => run(actions.setEffort?.(each === "" ? null : (each as Effort))))
            : undefined
        }
      />
      <Picker
        label={t("talk.mode")}
        value={mode ?? ""}
        options={modes.map((each) => ({ value: each, label: t(`mode.${each}`) }))}
        shown={mode && t(`mode.${mode}`)}
        onChoose={
          isLive
            ? actions.setMode && ((each) => run(actions.setMode?.(each as PermissionMode)))
            : undefined
        }
      />
      {problem !== undefined && (
        <span class={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
