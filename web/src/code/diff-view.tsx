import type { BlobRef, FileChange } from "agent-switchboard/wire";
import type { ComponentChild, VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import { DiffBody } from "./diff-body.tsx";
import { type DiffJob, hunksBetween } from "./diff-in-worker.ts";
import { type DiffRow, countRows, hunksOfPatch, rowsOfHunks } from "./diff-rows.ts";
import styles from "./diff-view.module.css";
import { VisibleText } from "../characters/visible-text.tsx";

export interface DiffViewProps {
  readonly change: FileChange;
  /** Whether its lines are shown. Nothing is computed for a change that is closed. */
  readonly open?: boolean;
  /** The path stands right above it already: only what its head says besides is shown. */
  readonly isNamed?: boolean | undefined;
  /** As a part of what scrolls around it, for those who have to see all of it. */
  readonly isFlat?: boolean | undefined;
  /** Fetches the whole change, if the change here has only a part of it. */
  readonly loadPatch?: ((patch: BlobRef) => Promise<string>) | undefined;
}

/** What changes in one file, with the numbers of its lines. */
export function DiffView({
  change,
  open = true,
  isFlat,
  isNamed = false,
  loadPatch,
}: DiffViewProps): VNode {
  const { path, added, removed, problem, kind } = change;
  return (
    <section class={styles["diff"]}>
      {!isNamed && <Head {...{ path, added, removed, kind }} />}
      {isNamed && kind !== "edit" && (
        <header class={styles["head"]}>
          <span class={styles["kind"]}>{t(`diff.${kind}`)}</span>
        </header>
      )}
      {open && problem !== undefined && <p class={styles["problem"]}>{t(`diff.${problem}`)}</p>}
      {open && problem === undefined && <ChangeBody {...{ change, loadPatch, isFlat }} />}
    </section>
  );
}

interface HeadProps {
  readonly path: string;
  readonly kind: FileChange["kind"];
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

const Head = ({ path, kind, added, removed }: HeadProps): VNode => (
  <header class={styles["head"]}>
    <span class={styles["path"]}>
      <VisibleText text={path} />
    </span>
    {kind !== "edit" && <span class={styles["kind"]}>{t(`diff.${kind}`)}</span>}
    {added !== undefined && <span class={styles["added"]}>+{added}</span>}
    {removed !== undefined && <span class={styles["removed"]}>{`\u{2212}${removed}`}</span>}
  </header>
);

function ChangeBody({
  change,
  loadPatch,
  isFlat = false,
}: Omit<DiffViewProps, "open">): ComponentChild {
  const [loaded, setLoaded] = useState<string>();
  const [hasFailed, setFailed] = useState(false);
  const patch = loaded ?? change.patch;
  const rows = useMemo(
    () => rowsOfHunks(typeof patch === "string" ? hunksOfPatch(patch) : (change.hunks ?? [])),
    [change, patch],
  );
  const load = (): void => {
    if (loadPatch === undefined || typeof patch !== "object") return;
    loadPatch(patch).then(setLoaded, () => setFailed(true));
  };
  const isPart = change.truncated === true && typeof patch !== "string";
  return (
    <>
      <DiffBody rows={rows} isFlat={isFlat} />
      {isPart && <p class={styles["problem"]}>{t(hasFailed ? "diff.notLoaded" : "diff.part")}</p>}
      {isPart && typeof patch === "object" && loadPatch !== undefined && (
        <p class={styles["more"]}>
          <Key onClick={load}>{t("diff.whole")}</Key>
        </p>
      )}
    </>
  );
}

export interface TextDiffViewProps extends DiffJob {
  readonly path: string;
  readonly open?: boolean;
}

/** The change from one text to another, for calls whose change is not known. Long texts are compared in a worker. */
export function TextDiffView({ path, before, after, open = true }: TextDiffViewProps): VNode {
  const rows = useRows(before, after, open);
  const counts = typeof rows === "object" ? countRows(rows) : undefined;
  return (
    <section class={styles["diff"]}>
      <Head path={path} kind="edit" added={counts?.added} removed={counts?.removed} />
      {open && typeof rows === "object" && <DiffBody rows={rows} />}
      {open && typeof rows === "string" && (
        <p class={styles["problem"]}>{t(rows === "failed" ? "diff.failed" : "diff.comparing")}</p>
      )}
    </section>
  );
}

type Rows = readonly DiffRow[] | "comparing" | "failed";

function useRows(before: string, after: string, open: boolean): Rows {
  const [rows, setRows] = useState<Rows>("comparing");
  useEffect(() => {
    if (!open) return undefined;
    const ending = new AbortController();
    const show = async (): Promise<void> => {
      const hunks = await hunksBetween({ before, after }, ending.signal);
      if (!ending.signal.aborted) setRows(rowsOfHunks(hunks));
    };
    setRows("comparing");
    show().catch(() => setRows("failed"));
    return () => ending.abort();
  }, [before, after, open]);
  return rows;
}
