import type { RefObject } from "preact";
import { memo } from "./memo.ts";
import { RowView } from "./row-view.tsx";
import type { Block } from "./rows.ts";
import { TurnEnd, TurnHead } from "./turn-lines.tsx";
import styles from "./transcript.module.css";
import { useNearness } from "./nearness.ts";

/** What a row takes, as long as nobody has measured it. */
const GUESSED_ROW_PX = 72;

interface BlockProps {
  readonly block: Block;
  readonly scroller: RefObject<HTMLElement | null>;
  /** It stays in the document wherever the person is. */
  readonly isInFlow: boolean;
}

/** Some rows of one turn. Far away it is an empty box as high as it was. */
export const BlockView = memo(function BlockView({ block, scroller, isInFlow }: BlockProps) {
  const guess = block.rows.length * GUESSED_ROW_PX;
  const { ref, isNear, height } = useNearness(scroller, isInFlow, guess);
  const isShown = isInFlow || isNear;
  return (
    <div
      ref={ref}
      class={styles.block}
      data-block={block.key}
      style={isShown ? { height: undefined } : { height: `${height()}px` }}
    >
      {isShown && (
        <>
          {block.isFirstOfTurn && block.turn && <TurnHead turn={block.turn} />}
          {block.rows.map((row) => (
            <RowView key={row.key} row={row} />
          ))}
          {block.isLastOfTurn && block.turn?.done && <TurnEnd done={block.turn.done} />}
        </>
      )}
    </div>
  );
});
