import { setTimeout as delay } from "node:timers/promises";
import type { TeamClient } from "../../../src/team/core.ts";

/** What a team has to show: one of each thing that has a page of its own. */
export interface TeamPlaces {
  readonly agent: string;
  readonly call: string;
  readonly task: string;
  readonly message: string;
  /** The number of an event in the middle of what happened. */
  readonly seq: number;
}

export interface SessionPlaces {
  readonly call: string;
}

export interface Screen<Places> {
  readonly name: string;
  /** As the page's router knows it: with a further part that may be missing, or without. */
  readonly route: string;
  readonly path: (places: Places) => string;
}

/** One of each view of a team. A test compares them with the page's routes. */
export const teamScreens: readonly Screen<TeamPlaces>[] = [
  { name: "board", route: "/board", path: () => "/board" },
  { name: "replay", route: "/board", path: ({ seq }) => `/board?at=${seq}` },
  { name: "talk", route: "/talk", path: () => "/talk" },
  { name: "agent", route: "/a/:agent", path: ({ agent }) => `/a/${agent}` },
  { name: "papers", route: "/a/:agent/:tab", path: ({ agent }) => `/a/${agent}/papers` },
  { name: "calls", route: "/calls", path: () => "/calls" },
  { name: "call", route: "/calls/:id", path: ({ call }) => `/calls/${encodeURIComponent(call)}` },
  { name: "tasks", route: "/tasks", path: () => "/tasks" },
  { name: "task", route: "/tasks/:id", path: ({ task }) => `/tasks/${task}` },
  { name: "mail", route: "/mail", path: () => "/mail" },
  { name: "message", route: "/mail/:id", path: ({ message }) => `/mail/${message}` },
  { name: "lost", route: "/lost", path: () => "/lost" },
  { name: "spend", route: "/spend", path: () => "/spend" },
  { name: "settings", route: "/settings", path: () => "/settings" },
];

/** One of each view of a single session. */
export const sessionScreens: readonly Screen<SessionPlaces>[] = [
  { name: "session-talk", route: "/talk", path: () => "/talk" },
  { name: "session-calls", route: "/calls", path: () => "/calls" },
  {
    name: "session-call",
    route: "/calls/:id",
    path: ({ call }) => `/calls/${encodeURIComponent(call)}`,
  },
  { name: "session-settings", route: "/settings", path: () => "/settings" },
];

/** Waits for the call. */
export async function placesOf(
  client: TeamClient,
  agent: string,
  callWithinMs = 60_000,
): Promise<TeamPlaces> {
  const deadline = performance.now() + callWithinMs;
  for (;;) {
    const { approvals } = await client.request("approvals", {});
    const { tasks } = await client.request("tasks", { all: true });
    const { entries } = await client.request("log", { limit: 100 });
    const call = approvals[0]?.request.request_id;
    // A part of another task has more to show than a task of its own.
    const task = (tasks.find(({ parent }) => parent !== null) ?? tasks[0])?.id;
    const messages = entries.filter(({ message_id: id }) => id !== undefined);
    const toAgent = messages.find(({ to_agent: to }) => to === agent);
    const message = (toAgent ?? messages[0])?.message_id;
    if (call !== undefined && task !== undefined && message !== undefined) {
      const seq = Math.ceil(client.init.last_seq * 0.6);
      return { agent, call, task, message, seq };
    }
    if (performance.now() > deadline) throw new Error("The team has nothing to show.");
    await delay(100);
  }
}

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

export const imageOf = (name: string, { lang, theme, width }: Look): string =>
  `${name}-${lang}-${theme}-${width}.webp`;
