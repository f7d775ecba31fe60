import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

export default function MailView() {
  return <Empty title={t("nav.mail")} />;
}
