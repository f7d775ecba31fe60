import type { JsonObject, JsonValue } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import { isBlobRef } from "./blobs.ts";
import { LargeText } from "./large-text.tsx";
import styles from "./what.module.css";

/** So many entries are drawn at once; the others come at a press. */
const STEP = 200;
/** Deeper values are shown as JSON. */
const MAX_DEPTH = 8;

/** Any input as a tree of its names and values, nothing of it left out. */
export function InputTree({
  value,
  depth = 0,
}: {
  readonly value: JsonObject | readonly JsonValue[];
  readonly depth?: number;
}) {
  const [shown, setShown] = useState(STEP);
  const entries = Object.entries(value);
  return (
    <dl class={styles.tree}>
      {entries.slice(0, shown).map(([name, each]) => (
        <div key={name}>
          <dt>
            <VisibleText text={name} />
          </dt>
          <dd>
            <Value value={each} depth={depth} />
          </dd>
        </div>
      ))}
      {entries.length > shown && (
        <div>
          <Key onClick={() => setShown(shown + STEP)}>
            {t("calls.moreEntries", { n: entries.length - shown })}
          </Key>
        </div>
      )}
    </dl>
  );
}

function Value({ value, depth }: { readonly value: JsonValue; readonly depth: number }) {
  if (isBlobRef(value)) return <LargeText text={value} />;
  if (typeof value === "string") {
    return <span class={styles.text}>{value === "" ? '""' : <VisibleText text={value} />}</span>;
  }
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (typeof value !== "object" || value === null || isEmpty || depth >= MAX_DEPTH) {
    return (
      <code class={styles.text}>
        <VisibleText text={JSON.stringify(value, undefined, 2)} />
      </code>
    );
  }
  return <InputTree value={value} depth={depth + 1} />;
}
