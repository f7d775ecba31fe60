import { View } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import { DeadLetters } from "./dead-letters.tsx";
import { Notices } from "./notices.tsx";
import { Refusals } from "./refusals.tsx";

/** What went wrong and may want a person: messages that were given up or refused, and warnings. */
export default function LostView() {
  return (
    <View title={t("lost.title")}>
      <DeadLetters />
      <Refusals />
      <Notices />
    </View>
  );
}
