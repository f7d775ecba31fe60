import type { GatewayLink } from "agent-switchboard/client/core";
import { useEffect, useState } from "preact/hooks";
import { explain } from "../link/errors.ts";
import { listLinks, revokeLink } from "../link/links.ts";
import { usePage } from "../state/page-state.ts";
import { Key } from "../ui/key.tsx";
import { Strip } from "../ui/strip.tsx";
import { language, t } from "../words/words.ts";
import { visibleString } from "../characters/visible-characters.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { NewLinkForm } from "./new-link-form.tsx";
import styles from "./settings.module.css";

/** The links for others: make one, see all, take one back. */
export function Links() {
  const { key } = usePage().signedIn;
  const [links, setLinks] = useState<readonly GatewayLink[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const read = (): void => void listLinks(key).then(setLinks, setError);
  useEffect(read, [key]);
  const revoke = (id: string): void => {
    setError(undefined);
    revokeLink(key, id).then(read, setError);
  };
  return (
    <section class={styles.part}>
      <Strip as="h2">{t("settings.links")}</Strip>
      <p class={styles.note}>{t("settings.linksHelp")}</p>
      <NewLinkForm onMade={read} />
      {error !== undefined && <p role="alert">{explain(error)}</p>}
      {links === undefined ? (
        <p>{t("app.loading")}</p>
      ) : (
        <ul class={styles.links}>
          {links.map((link) => (
            <Row key={link.id} link={link} onRevoke={() => revoke(link.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ link, onRevoke }: { readonly link: GatewayLink; readonly onRevoke: () => void }) {
  const { name, role, state, expires_at: until, seen_at: seen, yours } = link;
  return (
    <li>
      <span class={styles.who}>
        <b>
          <VisibleText text={name} />
        </b>
        <span>
          {t(`settings.role.${role}`)} · {t(`settings.link.${state}`)}
          {yours === true && ` · ${t("settings.link.yours")}`}
        </span>
      </span>
      <span class={styles.when}>
        {seen !== undefined && (
          <span>
            {t("settings.seen")} <time dateTime={seen}>{moment(seen)}</time>
          </span>
        )}
        <span>
          {t("settings.until")} <time dateTime={until}>{moment(until)}</time>
        </span>
      </span>
      {yours !== true && (
        <Key
          tone="stop"
          label={t("settings.revokeOf", { name: visibleString(name) })}
          onClick={onRevoke}
        >
          {t("settings.revoke")}
        </Key>
      )}
    </li>
  );
}

const moment = (at: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(at),
  );
