import type { GatewayRole } from "agent-switchboard/client/core";
import { useId, useRef, useState } from "preact/hooks";
import { explain } from "../link/errors.ts";
import { makeLink } from "../link/links.ts";
import { usePage } from "../state/page-state.ts";
import { Key } from "../ui/key.tsx";
import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import styles from "./settings.module.css";

const HOUR_MS = 3_600_000;
const lengths: readonly (readonly [ms: number, word: WordKey])[] = [
  [HOUR_MS, "settings.for.hour"],
  [24 * HOUR_MS, "settings.for.day"],
  [168 * HOUR_MS, "settings.for.week"],
  [720 * HOUR_MS, "settings.for.month"],
];

/** Makes a link: what its person may do, their name, and for how long. */
export function NewLinkForm({ onMade }: { readonly onMade: () => void }) {
  const { key } = usePage().signedIn;
  const [role, setRole] = useState<GatewayRole>("viewer");
  const [name, setName] = useState("");
  const [forMs, setForMs] = useState(24 * HOUR_MS);
  const [url, setUrl] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const group = useId();
  const make = async (): Promise<void> => {
    setError(undefined);
    setUrl(undefined);
    const said = name.trim();
    try {
      setUrl(await makeLink(key, { role, for_ms: forMs, ...(said !== "" && { name: said }) }));
      onMade();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <form
      class={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <fieldset class={styles.choice}>
        <legend>{t("settings.may")}</legend>
        <div>
          {(["viewer", "owner"] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name={group}
                checked={role === each}
                onInput={() => setRole(each)}
              />
              <span>{t(`settings.may.${each}`)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <label class={styles.field}>
        {t("settings.name")}
        <input
          type="text"
          maxLength={100}
          placeholder={t("settings.nameHelp")}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class={styles.field}>
        {t("settings.for")}
        <select value={forMs} onInput={(event) => setForMs(Number(event.currentTarget.value))}>
          {lengths.map(([ms, word]) => (
            <option key={ms} value={ms}>
              {t(word)}
            </option>
          ))}
        </select>
      </label>
      <div>
        <Key type="submit">{t("settings.make")}</Key>
      </div>
      {error !== undefined && <p role="alert">{explain(error)}</p>}
      {url !== undefined && <MadeLink url={url} />}
    </form>
  );
}

function MadeLink({ url }: { readonly url: string }) {
  const ref = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    ref.current?.select();
    // Without https the browser has no clipboard for pages: the person copies what is selected.
    navigator.clipboard?.writeText(url).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div class={styles.made} role="status">
      <label class={styles.field}>
        {t("settings.made")}
        <input ref={ref} type="text" readOnly value={url} onFocus={() => ref.current?.select()} />
      </label>
      <Key onClick={copy}>{t(isCopied ? "settings.copied" : "settings.copy")}</Key>
    </div>
  );
}
