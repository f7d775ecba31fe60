import { useState } from "preact/hooks";
import { canNotify } from "../calls/call-notifications.ts";
import { ring } from "../calls/ring.ts";
import { notifications, sounds } from "../state/preferences.ts";
import { Strip } from "../ui/strip.tsx";
import { t } from "../words/words.ts";
import styles from "./settings.module.css";

/** How the page asks for a person who looks elsewhere. The browser is asked for leave only when the person clicks. */
export function Attention() {
  const [permission, setPermission] = useState(() =>
    canNotify() ? Notification.permission : "denied",
  );
  const switchNotifications = async (isOn: boolean): Promise<void> => {
    if (!isOn || !canNotify()) {
      notifications.value = false;
      return;
    }
    const answer = await Notification.requestPermission();
    setPermission(answer);
    notifications.value = answer === "granted";
  };
  return (
    <section class={styles.part}>
      <Strip as="h2">{t("settings.attention")}</Strip>
      <label class={styles.check}>
        <input
          type="checkbox"
          checked={notifications.value && permission === "granted"}
          disabled={!canNotify() || permission === "denied"}
          onInput={(event) => void switchNotifications(event.currentTarget.checked)}
        />
        <span>
          {t("settings.notifications")}
          <small>{t("settings.notificationsHelp")}</small>
          {permission === "denied" && (
            <small>{t(canNotify() ? "settings.refused" : "settings.cannot")}</small>
          )}
        </span>
      </label>
      <label class={styles.check}>
        <input
          type="checkbox"
          checked={sounds.value}
          onInput={(event) => {
            sounds.value = event.currentTarget.checked;
            if (sounds.value) ring();
          }}
        />
        <span>{t("settings.sounds")}</span>
      </label>
    </section>
  );
}
