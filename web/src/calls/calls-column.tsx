import { CallsList } from "./calls-list.tsx";

/** All calls that wait for a person, beside every view. */
export function CallsColumn() {
  return <CallsList as="h2" />;
}
