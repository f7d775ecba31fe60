import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function CallsView() {
  return <Empty title={t("nav.calls")} />;
}
