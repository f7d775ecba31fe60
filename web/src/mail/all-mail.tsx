import { useState } from "preact/hooks";
import { explain } from "../link/errors.ts";
import { usePage, useTeam } from "../state/page-state.ts";
import { Key } from "../ui/key.tsx";
import { Failure, View } from "../ui/view.tsx";
import { counted, t } from "../words/words.ts";
import { saveFile } from "../link/gateway-request.ts";
import { exportPath } from "./export.ts";
import { logParams, noFilter, statsParams } from "./filter.ts";
import { FilterForm } from "./filter-form.tsx";
import { MailFigures } from "./mail-figures.tsx";
import { MailTable } from "./mail-table.tsx";
import { useLog } from "./use-log.ts";
import styles from "./mail.module.css";

const MINUTE_MS = 60_000;

/** The communication log: who said what to whom, how long it took, and what failed. */
export function AllMail() {
  const team = useTeam();
  const { signedIn } = usePage();
  const [filter, setFilter] = useState(noFilter);
  // It moves when a person asks again, not by itself: lines do not jump under a pointer.
  const [now, setNow] = useState(() => Date.now());
  const params = logParams(filter, now);
  const log = useLog(params);
  const [saving, setSaving] = useState<{ isBusy: boolean; failure?: string }>({ isBusy: false });
  const save = async (form: "csv" | "json"): Promise<void> => {
    if (saving.isBusy) return;
    setSaving({ isBusy: true });
    try {
      const name = `${team.view.team || "team"}-log.${form}`;
      await saveFile(signedIn.key, exportPath(form, params), name);
      setSaving({ isBusy: false });
    } catch (error) {
      setSaving({ isBusy: false, failure: explain(error) });
    }
  };
  return (
    <View
      title={t("nav.mail")}
      tools={
        <>
          <Key onClick={() => setNow(Math.max(Date.now(), now + MINUTE_MS / 60))}>
            {t("mail.refresh")}
          </Key>
          <Key isDisabled={saving.isBusy} onClick={() => void save("csv")}>
            {t("mail.csv")}
          </Key>
          <Key isDisabled={saving.isBusy} onClick={() => void save("json")}>
            {t("mail.json")}
          </Key>
        </>
      }
    >
      <FilterForm filter={filter} onFilter={setFilter} />
      <Failure>{saving.failure ?? log.failure}</Failure>
      <MailFigures params={statsParams(filter, now)} />
      {log.entries.length > 0 && (
        <p class={styles.count} role="status">
          {counted("mail.line", "mail.lines", log.entries.length)}
          {log.older !== undefined && ` · ${t("mail.thereAreOlder")}`}
        </p>
      )}
      {log.entries.length === 0 && !log.isReading && log.failure === undefined ? (
        <p class={styles.none}>
          {t("mail.none")} <code>switchboard send "…"</code>
        </p>
      ) : (
        <MailTable entries={log.entries} />
      )}
      {log.older && (
        <p class={styles.none}>
          <Key onClick={log.older}>{t("ask.older")}</Key>
        </p>
      )}
    </View>
  );
}
