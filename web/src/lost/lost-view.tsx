import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function LostView() {
  return <Empty title={t("nav.lost")} />;
}
