import { usePage } from "../state/page-state.ts";
import { sendKey } from "../state/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Strip } from "../ui/strip.tsx";
import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import { places } from "./page-keys.ts";
import styles from "./keys-help.module.css";

type Row = readonly [keys: readonly string[], word: WordKey];

const inTicket: readonly Row[] = [
  [["y"], "keys.allow"],
  [["s"], "keys.allowSession"],
  [["a"], "keys.allowAlways"],
  [["n"], "keys.deny"],
  [["c"], "keys.change"],
  [["h"], "keys.hold"],
];

/** What the keys do. */
export default function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const { team } = usePage();
  const isMac = navigator.platform.startsWith("Mac");
  const mod = isMac ? "⌘" : "Ctrl";
  const everywhere: readonly Row[] = [
    [[mod, "K"], "keys.goTo"],
    [["?"], "keys.help"],
    ...Object.entries(places)
      .filter(([, place]) => team !== undefined || ["talk", "calls", "settings"].includes(place))
      .map(([letter, place]): Row => [["g", letter], `nav.${place}`]),
  ];
  const writing: readonly Row[] =
    sendKey.value === "enter"
      ? [
          [["Enter"], "keys.send"],
          [["Shift", "Enter"], "keys.newLine"],
        ]
      : [
          [[mod, "Enter"], "keys.send"],
          [["Enter"], "keys.newLine"],
        ];
  return (
    <Dialog title={t("keys.title")} onClose={onClose}>
      <Rows title={t("keys.everywhere")} rows={everywhere} />
      <Rows title={t("keys.inTicket")} rows={inTicket} />
      <Rows title={t("keys.writing")} rows={writing} />
    </Dialog>
  );
}

function Rows({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  return (
    <section class={styles.part}>
      <Strip as="h3">{title}</Strip>
      <dl>
        {rows.map(([keys, word]) => (
          <div key={keys.join("+")}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(word)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
