import type { TextItem } from "agent-switchboard/client/core";
import { Markdown } from "../../markdown/markdown.tsx";
import { useIsGrowing } from "../talk-context.ts";

/** What the model has said. The newest text of the open turn may still grow. */
export function SaidView({ item }: { readonly item: TextItem }) {
  const isOpen = useIsGrowing(item);
  if (item.text.trim() === "") return null;
  return <Markdown text={item.text} streaming={isOpen} />;
}
