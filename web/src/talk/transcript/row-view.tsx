import { ToolCard } from "../tools/tool-card.tsx";
import { memo } from "./memo.ts";
import { MessageView } from "./message-view.tsx";
import { NoteView } from "./note-view.tsx";
import type { Row } from "./rows.ts";
import { SaidView } from "./said-view.tsx";
import { ThoughtView } from "./thought-view.tsx";
import styles from "./transcript.module.css";

/** One item of a conversation, with what belongs to it. */
export const RowView = memo(function RowView({ row }: { readonly row: Row }) {
  return (
    <div class={styles.row} data-row={row.key}>
      <Content row={row} />
    </div>
  );
});

function Content({ row: { item, children } }: { readonly row: Row }) {
  switch (item.kind) {
    case "message":
      return <MessageView item={item} />;
    case "text":
      return <SaidView item={item} />;
    case "thinking":
      return <ThoughtView item={item} />;
    case "tool":
      return (
        <ToolCard item={item}>
          {children.map((child) => (
            <RowView key={child.key} row={child} />
          ))}
        </ToolCard>
      );
    default:
      return <NoteView item={item} />;
  }
}
