export interface Screen {
  readonly name: string;
  /** A place of the view in the demo team. */
  readonly path: string;
  /** As the page's router knows it. */
  readonly route: string;
}

/** One of each view. A test compares them with the page's routes. */
export const screens: readonly Screen[] = [
  { name: "board", path: "/board", route: "/board" },
  { name: "talk", path: "/talk", route: "/talk" },
  { name: "agent", path: "/a/coding_specialist", route: "/a/:agent/:tab?" },
  { name: "calls", path: "/calls", route: "/calls/:id?" },
  { name: "tasks", path: "/tasks", route: "/tasks/:id?" },
  { name: "mail", path: "/mail", route: "/mail/:id?" },
  { name: "lost", path: "/lost", route: "/lost" },
  { name: "spend", path: "/spend", route: "/spend" },
  { name: "settings", path: "/settings", route: "/settings" },
];

export interface Look {
  readonly lang: "en" | "ja";
  readonly theme: "light" | "dark";
  readonly width: number;
}

export const looks: readonly Look[] = (["en", "ja"] as const).flatMap((lang) =>
  (["light", "dark"] as const).flatMap((theme) =>
    [1440, 390].map((width) => ({ lang, theme, width })),
  ),
);

export const imageOf = ({ name }: Screen, { lang, theme, width }: Look): string =>
  `${name}-${lang}-${theme}-${width}.webp`;
