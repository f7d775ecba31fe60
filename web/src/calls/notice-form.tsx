import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import type { RequestOf } from "./call.ts";
import { OtherKeys } from "./other-keys.tsx";
import type { TicketPart } from "./ticket-parts.ts";

/** A notice that asks whether to go on. */
export function NoticeForm(part: TicketPart<RequestOf<"notice">>) {
  const { deciding, isDead } = part;
  const goOn = (): void => deciding.decide({ kind: "approve" });
  return (
    <OtherKeys {...part} denyWord="calls.dontGoOn" own={{ y: goOn }}>
      <Key letter="y" tone="go" isDisabled={isDead} onClick={goOn}>
        {deciding.sent === "approve" ? t("calls.sending") : t("calls.goOn")}
      </Key>
    </OtherKeys>
  );
}
