import { VisibleText } from "../characters/visible-text.tsx";
import { t, wordFor } from "../words/words.ts";
import { AddressText } from "./address-text.tsx";
import type { Call } from "./call.ts";
import { InputTree } from "./input-tree.tsx";
import { LargeText } from "./large-text.tsx";
import { What } from "./what.tsx";
import styles from "./what.module.css";

/** What stands above the buttons of a ticket. */
export function Asked({ request }: Pick<Call, "request">) {
  switch (request.type) {
    case "approval_request":
      return <What request={request} />;
    case "question":
      return <p>{t("calls.questionHelp", { n: request.questions.length })}</p>;
    case "plan":
      // Claude Code asks with the plan of its own file, which the model may not have written.
      return request.plan === "" ? <p>{t("calls.noPlan")}</p> : <LargeText text={request.plan} />;
    case "elicitation":
      return (
        <>
          <p class={styles.text}>
            <VisibleText text={request.message} />
          </p>
          {request.url !== undefined && (
            <pre class={styles.block}>
              <AddressText text={request.url} />
            </pre>
          )}
        </>
      );
    default:
      return (
        <>
          <p>{wordFor("calls.noticeHelp", request.code)}</p>
          <p class={styles.why}>
            <VisibleText text={[request.message, request.hint].filter(Boolean).join(" ")} />
          </p>
          {request.data !== undefined && <InputTree value={request.data} />}
        </>
      );
  }
}
