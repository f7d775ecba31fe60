import { Strip } from "../ui/strip.tsx";
import { t } from "../words/words.ts";

/** All calls that wait for a person, beside every view. */
export function CallsColumn() {
  return <Strip as="h2">{t("calls.none")}</Strip>;
}
