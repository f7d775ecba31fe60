import { useRoute } from "preact-iso";
import { CallPage } from "./call-page.tsx";
import { CallsList } from "./calls-list.tsx";
import { DecidedList } from "./decided-list.tsx";
import styles from "./calls-view.module.css";

/** All that waits for a person, and what was decided today; with an id, that one call. */
export default function CallsView() {
  const { id } = useRoute().params;
  if (id !== undefined) return <CallPage key={id} id={decodeURIComponent(id)} />;
  return (
    <div class={styles.view}>
      <CallsList as="h1" hasGone={false} />
      <DecidedList />
    </div>
  );
}
