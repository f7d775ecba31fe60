import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function SettingsView() {
  return <Empty title={t("nav.settings")} />;
}
