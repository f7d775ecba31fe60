import { useMayAct, usePage } from "../state/page-state.ts";
import { t, timeOfDay } from "../words/words.ts";
import { Attention } from "./attention.tsx";
import { Choice } from "./choice.tsx";
import { Links } from "./links.tsx";
import { SignOut } from "./sign-out.tsx";
import { Strip } from "../ui/strip.tsx";
import { density, sendKey, theme } from "../state/preferences.ts";
import { language, languages } from "../words/words.ts";
import styles from "./settings.module.css";

/** The person's own settings, who they are here, and the links for others. */
export default function SettingsView() {
  const { signedIn } = usePage();
  const mayAct = useMayAct();
  return (
    <div class={styles.view}>
      <h1>{t("nav.settings")}</h1>
      <section class={styles.part}>
        <Strip as="h2">{t("settings.looks")}</Strip>
        <Choice
          label={t("settings.theme")}
          setting={theme}
          options={[
            ["system", t("settings.theme.system")],
            ["light", t("settings.theme.light")],
            ["dark", t("settings.theme.dark")],
          ]}
        />
        <Choice
          label={t("settings.language")}
          setting={language}
          options={languages.map((each) => [each, t(`settings.language.${each}`)] as const)}
        />
        <Choice
          label={t("settings.density")}
          setting={density}
          options={[
            ["regular", t("settings.density.regular")],
            ["compact", t("settings.density.compact")],
          ]}
        />
        <Choice
          label={t("settings.sendKey")}
          setting={sendKey}
          options={[
            ["enter", t("settings.sendKey.enter")],
            ["ctrl-enter", t("settings.sendKey.ctrl")],
          ]}
        />
        <p class={styles.note}>{t("settings.kept")}</p>
      </section>
      <Attention />
      <section class={styles.part}>
        <Strip as="h2">{t("settings.you")}</Strip>
        <p>
          {t("settings.signedIn", { name: signedIn.name })} · {t(`settings.role.${signedIn.role}`)}
        </p>
        <p class={styles.note}>
          {t("settings.until")}{" "}
          <time dateTime={signedIn.expires_at} title={signedIn.expires_at}>
            {day(signedIn.expires_at)} {timeOfDay(signedIn.expires_at)}
          </time>
        </p>
        <SignOut />
      </section>
      {mayAct && <Links />}
    </div>
  );
}

const day = (at: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: "medium" }).format(new Date(at));
