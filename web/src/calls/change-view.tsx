import type { FileChange } from "agent-switchboard/wire";
import { VisibleText } from "../code/visible-text.tsx";
import { t } from "../words/words.ts";
import { LargeText } from "./large-text.tsx";
import styles from "./what.module.css";

/** What a call would change in one file. */
export function ChangeView({ change }: { readonly change: FileChange }) {
  const { path, kind, added, removed, problem, hunks = [], truncated, patch } = change;
  return (
    <figure class={styles.change}>
      <figcaption>
        <span class={styles.text}>
          <VisibleText text={path} />
        </span>
        <span>
          {t(`calls.change.${kind}`)}
          {added !== undefined && ` +${added}`}
          {removed !== undefined && ` −${removed}`}
        </span>
      </figcaption>
      {problem !== undefined && <p>{t(`calls.problem.${problem}`)}</p>}
      {hunks.map((hunk) => (
        <div key={`${hunk.old_start}-${hunk.new_start}`} class={styles.hunk}>
          {hunk.lines.map((line, index) => (
            <div key={index} class={styles.line} data-sign={line[0]}>
              <span>{line[0]}</span>
              <span class={styles.text}>
                <VisibleText text={line.slice(1)} />
              </span>
            </div>
          ))}
        </div>
      ))}
      {truncated === true && patch !== undefined && <LargeText text={patch} />}
    </figure>
  );
}
