import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { saveFile } from "../../link/gateway-request.ts";
import { usePage } from "../../state/page-state.ts";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { Sheet } from "./sheet.tsx";
import styles from "./talk-strip.module.css";

const forms = [
  { ending: "md", label: "Markdown" },
  { ending: "json", label: "JSON" },
  { ending: "jsonl", label: "JSON Lines" },
] as const;

/** Saves the whole conversation as a file, as the log has it. */
export function ExportMenu() {
  const { signedIn } = usePage();
  const { state } = useTalk();
  const [problem, setProblem] = useState<string>();
  const save = (ending: string): void => {
    setProblem(undefined);
    const file = `${state.agent ?? "session"}.${ending}`;
    const path = `/api/export/session/${encodeURIComponent(file)}`;
    saveFile(signedIn.key, path, file).catch((error: unknown) =>
      setProblem(t("talk.exportFailed", { why: explain(error) })),
    );
  };
  return (
    <>
      <Sheet title={t("talk.export")} side="right" isKey>
        {(close) => (
          <ul>
            {forms.map(({ ending, label }) => (
              <li key={ending}>
                <button
                  type="button"
                  class={styles.menuKey}
                  onClick={() => {
                    close();
                    save(ending);
                  }}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Sheet>
      {problem !== undefined && (
        <p class={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
