import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

// A stand-in for a part of the page that is made elsewhere.

export function PapersTab({ agent }: { readonly agent: string }) {
  return <Empty title={t("nav.papers")}>{agent}</Empty>;
}
