import type { TeamEvent } from "../../wire/team/events.ts";
import type { Timeline } from "./timeline.ts";

/** Calls the listener with every event after `since`, past and future: once and in order. For use in the team's own process. */
export async function followTimeline(
  timeline: Timeline,
  since: number,
  listener: (event: TeamEvent) => void,
): Promise<void> {
  let last = since;
  let waiting: TeamEvent[] | undefined = [];
  const tell = (events: readonly TeamEvent[]): void => {
    for (const event of events) {
      if (event.seq <= last) continue;
      last = event.seq;
      listener(event);
    }
  };
  // What is published while the past is read waits until then.
  timeline.subscribe((events) => {
    if (waiting) waiting.push(...events);
    else tell(events);
  });
  for await (const events of timeline.after(since)) tell(events);
  tell(waiting);
  waiting = undefined;
}
