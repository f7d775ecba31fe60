import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function TalkView() {
  return <Empty title={t("nav.talk")} />;
}
