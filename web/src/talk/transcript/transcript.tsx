import type { ReadonlySignal } from "@preact/signals";
import { useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { OlderPart } from "../../state/talk-history.ts";
import { explain } from "../../link/errors.ts";
import { commandKey } from "../../ui/key-press.ts";
import { counted, t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { BlockView } from "./block-view.tsx";
import { useFollow } from "./follow.ts";
import { goToPlace } from "./go-to.ts";
import { useKeptPlace } from "./keep-place.ts";
import { LayoutKeeper } from "./layout-keeper.ts";
import { LiveNotes } from "./live-notes.tsx";
import { OlderTurns } from "./older-turns.tsx";
import { stepTurn } from "./step-turn.ts";
import styles from "./transcript.module.css";

/** The newest rows are always in the document; what is further away comes when the person scrolls near it. */
const NEWEST_IN_FLOW = 30;

/** What was said and done. It is silent: the announcer tells a person who listens what counts. */
export function Transcript({ label }: { readonly label: string }) {
  const { state, goToEnd, goTo, found } = useTalk();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useMemo(() => new LayoutKeeper(), [state]);
  const layout = useComputed(() => keeper.layOut(state.conversation.value));
  const { blocks } = layout.value;
  const follow = useFollow({ scroller, content }, layout.value.rows.size);
  goToEnd.current = follow.toEnd;
  goTo.current = async (place) => {
    const { current } = scroller;
    if (!current) return false;
    found.value = await follow.during(() => goToPlace(state, current, place));
    return found.value !== undefined;
  };
  const parts = state.history.parts.value;
  useKeptPlace(scroller, parts);
  const isEmpty = blocks.length === 0 && parts.length === 0;
  const newest = newestBlocks(blocks.map(({ rows }) => rows.length));
  return (
    <div class={styles.frame}>
      <div
        ref={scroller}
        class={styles.scroller}
        role="log"
        aria-live="off"
        aria-label={label}
        tabindex={0}
        onKeyDown={(event) => {
          const key = commandKey(event);
          if (key === ".") follow.toEnd();
          else if (key === "[" || key === "]") stepTurn(scroller.current, key === "[" ? -1 : 1);
          else return;
          event.preventDefault();
        }}
      >
        <div ref={content} class={styles.content}>
          <OlderTurns scroller={scroller} />
          {parts.map((part) => (
            <PartView key={part.firstSeq} part={part} scroller={scroller} />
          ))}
          {blocks.map((block, index) => (
            <BlockView
              key={block.key}
              block={block}
              scroller={scroller}
              isInFlow={index >= newest}
            />
          ))}
          {isEmpty && state.life.value.kind !== "opening" && <Nothing />}
          <LiveNotes />
        </div>
      </div>
      {follow.isAway.value && (
        <button type="button" class={styles.toEnd} onClick={() => follow.toEnd()}>
          <span aria-hidden="true">↓ </span>
          {newsWords(follow.news)}
        </button>
      )}
    </div>
  );
}

function newsWords({ value }: ReadonlySignal<number>): string {
  return value === 0 ? t("talk.toEnd") : counted("talk.newItem", "talk.newItems", value);
}

function newestBlocks(sizes: readonly number[]): number {
  let rows = 0;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    rows += sizes[index] ?? 0;
    if (rows >= NEWEST_IN_FLOW) return index;
  }
  return 0;
}

/** An older part of the log. Out of memory it is read again when the person comes near. */
function PartView({
  part,
  scroller,
}: {
  readonly part: OlderPart;
  readonly scroller: RefObject<HTMLElement | null>;
}) {
  // What a part was laid out as goes with it, or the part would stay in memory after all.
  const keeper = useMemo(() => new LayoutKeeper(), [part.conversation]);
  if (!part.conversation) return <DroppedPart part={part} scroller={scroller} />;
  return (
    <>
      {keeper.layOut(part.conversation).blocks.map((block) => (
        <BlockView key={block.key} block={block} scroller={scroller} isInFlow={false} />
      ))}
    </>
  );
}

function DroppedPart({
  part,
  scroller,
}: {
  readonly part: OlderPart;
  readonly scroller: RefObject<HTMLElement | null>;
}) {
  const { state } = useTalk();
  const load = (element: HTMLElement | null): (() => void) | undefined => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) {
          state.history.load(part.firstSeq).catch((error: unknown) => {
            element.textContent = explain(error);
          });
        }
      },
      { root: scroller.current, rootMargin: "1000px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
  return <div ref={load} class={styles.dropped} style={{ height: "600px" }} />;
}

function Nothing() {
  const { actions } = useTalk();
  return (
    <div class={styles.nothing}>
      <h2>{t("talk.nothing")}</h2>
      <p>{t(actions.send ? "talk.nothingBody" : "talk.nothingWatch")}</p>
    </div>
  );
}
