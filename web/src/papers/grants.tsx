import { useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { explain } from "../link/errors.ts";
import { useMayAct } from "../state/page-state.ts";
import type { TalkState } from "../state/talk-state.ts";
import { ConfirmKey } from "../ui/confirm-key.tsx";
import { Failure, Part } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { t } from "../words/words.ts";
import styles from "./papers.module.css";

/** The permissions that people gave and that reach beyond their call. */
export function Grants({ talk }: { readonly talk: TalkState }) {
  const mayAct = useMayAct();
  const { grants } = talk.conversation.value;
  const isLive = talk.life.value.kind === "live";
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const revoke = async (id: string): Promise<void> => {
    setFailure(undefined);
    try {
      await talk.client.revoke(id);
    } catch (error) {
      setFailure(explain(error));
    }
  };
  return (
    <Part title={t("papers.grants")}>
      <Failure>{failure}</Failure>
      {grants.length === 0 && <p>{t("papers.noGrants")}</p>}
      <ul class={styles.grants}>
        {grants.map(({ id, rule, scope, file, by, at }) => (
          <li key={id}>
            <code>
              <VisibleText text={rule} />
            </code>
            <span>
              {t(`papers.scope.${scope}`)}
              {file !== undefined && <VisibleText text={` · ${file}`} />}
            </span>
            <span>
              {by !== undefined && <VisibleText text={`${by} · `} />}
              <When at={at} />
            </span>
            {mayAct && isLive && (
              <ConfirmKey
                question={t("papers.ask.revoke")}
                yes={t("papers.yes.revoke")}
                onConfirm={() => void revoke(id)}
              >
                {t("papers.revoke")}
              </ConfirmKey>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}
