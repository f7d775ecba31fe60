import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function SpendView() {
  return <Empty title={t("nav.spend")} />;
}
