import type { ComponentChildren } from "preact";
import styles from "./view.module.css";

/** A view below the header: its name, what one can choose, and what it shows. */
export function View({
  title,
  tools,
  children,
}: {
  readonly title: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={styles.view}>
      <header class={styles.head}>
        <h1>{title}</h1>
        {tools !== undefined && <div class={styles.tools}>{tools}</div>}
      </header>
      {children}
    </div>
  );
}

/** A group of a view under its strip. */
export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={styles.part} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Names and what belongs to them. Pairs without a value are left out. */
export function Facts({
  pairs,
}: {
  readonly pairs: readonly (readonly [string, ComponentChildren])[];
}) {
  const shown = pairs.filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== "",
  );
  return (
    <dl class={styles.facts}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Why something could not be shown or done, beside what caused it. */
export function Failure({ children }: { readonly children: string | undefined }) {
  return children === undefined ? null : (
    <p class={styles.failure} role="alert">
      {children}
    </p>
  );
}
