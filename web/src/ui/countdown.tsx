import { countdown } from "../words/words.ts";
import { useSeconds } from "./seconds.ts";

/** What is left until a moment of the page's own clock, such as "4:12". */
export function Countdown({ endsAt }: { readonly endsAt: number }) {
  return <time role="timer">{countdown(endsAt - useSeconds())}</time>;
}
