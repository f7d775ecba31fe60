import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import { Key } from "../ui/key.tsx";
import styles from "./sign-in-page.module.css";

const reasons: Readonly<Record<"none" | "used" | "ended" | "offline", WordKey | undefined>> = {
  none: undefined,
  used: "signIn.used",
  ended: "signIn.ended",
  offline: "signIn.offline",
};

/** What a person sees who has no way in: why, and the command that makes a link. */
export function SignInPage({
  why,
  onRetry,
}: {
  readonly why: keyof typeof reasons;
  readonly onRetry: () => void;
}) {
  const reason = reasons[why];
  return (
    <main class={styles.page}>
      <h1>{t("signIn.title")}</h1>
      {reason !== undefined && <p role="alert">{t(reason)}</p>}
      <p>{t("signIn.body")}</p>
      <pre>
        <code>switchboard web link</code>
      </pre>
      {why === "offline" && <Key onClick={onRetry}>{t("signIn.again")}</Key>}
    </main>
  );
}
