import type { Conversation } from "agent-switchboard/client/core";
import type { TalkState } from "../../state/talk-state.ts";
import { textOf } from "../find/find-loaded.ts";
import type { TalkPlace } from "../talk-context.ts";
import type { Block, Row } from "./rows.ts";
import { emptyLayout, layOut } from "./rows.ts";

/** Scrolls to a place of the log, reading the turns around it when they are not there. Gives the key of the row, or undefined when it is not in the log. */
export async function goToPlace(
  state: TalkState,
  scroller: HTMLElement,
  place: TalkPlace,
): Promise<string | undefined> {
  await state.history.reach(place.seq);
  await nextFrame();
  const parts = state.history.parts.value.flatMap((part) => part.conversation ?? []);
  const found = [state.conversation.value, ...parts.toReversed()]
    .map((conversation) => findPlace(conversation, place))
    .find((each) => each !== undefined);
  if (!found) return undefined;
  const block = scroller.querySelector(`[data-block="${CSS.escape(found.block)}"]`);
  block?.scrollIntoView({ block: "start" });
  // The block is drawn when it is near.
  for (let frames = 0; frames < 10; frames += 1) {
    await nextFrame();
    const row = scroller.querySelector(`[data-row="${CSS.escape(found.row)}"]`);
    if (!row) continue;
    row.scrollIntoView({ block: "center" });
    return found.row;
  }
  return found.row;
}

interface Found {
  readonly block: string;
  readonly row: string;
}

/** The block and the row of a place; of a text, the row of its turn that has the text. */
export function findPlace(conversation: Conversation, place: TalkPlace): Found | undefined {
  const { blocks } = layOut(conversation, emptyLayout);
  const { requestId, messageId, turnId, kind } = place;
  const key = messageId === undefined ? requestId && `call/${requestId}` : `message/${messageId}`;
  const text = place.text.toLowerCase();
  const hasText = (row: Row): boolean => textOf(row.item).toLowerCase().includes(text);
  if (key !== undefined) {
    const exact = firstRow(blocks, (row) => row.key === key);
    if (exact) return exact;
  }
  const inTurn = blocks.filter(({ rows }) => rows.some((row) => isIn(row, place)));
  return (
    firstRow(inTurn, (row) => row.item.kind === kind && hasText(row)) ??
    firstRow(inTurn, hasText) ??
    (turnId === undefined ? undefined : firstRow(inTurn, () => true))
  );
}

const isIn = ({ item }: Row, { turnId, seq }: TalkPlace): boolean =>
  turnId === undefined ? item.kind === "note" && item.note.seq === seq : item.turnId === turnId;

function firstRow(blocks: readonly Block[], fits: (row: Row) => boolean): Found | undefined {
  for (const block of blocks) {
    const row = deepFind(block.rows, fits);
    if (row) return { block: block.key, row: row.key };
  }
  return undefined;
}

function deepFind(rows: readonly Row[], fits: (row: Row) => boolean): Row | undefined {
  for (const row of rows) {
    const found = fits(row) ? row : deepFind(row.children, fits);
    if (found) return found;
  }
  return undefined;
}

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => resolve()));
