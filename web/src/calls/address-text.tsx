import { VisibleText } from "../characters/visible-text.tsx";
import { addressOf } from "./address.ts";
import styles from "./what.module.css";

/** An address in which the host cannot be overlooked. */
export function AddressText({ text }: { readonly text: string }) {
  const address = addressOf(text);
  if (address === undefined) return <VisibleText text={text} />;
  return (
    <>
      <VisibleText text={address.before} />
      <b class={styles.host}>
        <VisibleText text={address.host} />
      </b>
      <VisibleText text={address.after} />
    </>
  );
}
