import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function TasksView() {
  return <Empty title={t("nav.tasks")} />;
}
