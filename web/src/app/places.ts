import type { WordKey } from "../words/words.ts";

/** A view that the page has a link to. */
export interface Place {
  readonly path: string;
  readonly word: WordKey;
}

export const teamPlaces: readonly Place[] = [
  { path: "/board", word: "nav.board" },
  { path: "/talk", word: "nav.talk" },
  { path: "/calls", word: "nav.calls" },
  { path: "/tasks", word: "nav.tasks" },
  { path: "/mail", word: "nav.mail" },
  { path: "/lost", word: "nav.lost" },
  { path: "/spend", word: "nav.spend" },
  { path: "/settings", word: "nav.settings" },
];

export const sessionPlaces: readonly Place[] = [
  { path: "/talk", word: "nav.talk" },
  { path: "/calls", word: "nav.calls" },
  { path: "/settings", word: "nav.settings" },
];
