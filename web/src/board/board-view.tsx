import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function BoardView() {
  return <Empty title={t("nav.board")} />;
}
