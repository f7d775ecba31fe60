import type { SessionClient, SessionEvent } from "../../client/index.ts";

const PAGE = 1_000;

/**
 * Everything that has happened in the session up to `upto`, oldest first, also from before the newest file of its log. Pages
 * are found from the newest to the oldest and read again from the oldest on, so that a long log is never held whole.
 */
export async function* pastEvents(
  client: SessionClient,
  upto: number,
): AsyncGenerator<SessionEvent> {
  const cursors: number[] = [];
  let oldest: readonly SessionEvent[] = [];
  for (let before = upto + 1; ;) {
    const page = await client.history({ before, limit: PAGE, whole: true });
    oldest = page.events;
    cursors.push(before);
    const [first] = page.events;
    if (!page.more || first === undefined) break;
    before = first.seq;
  }
  cursors.pop();
  yield* oldest;
  for (const before of cursors.toReversed()) {
    const { events } = await client.history({ before, limit: PAGE, whole: true });
    yield* events;
  }
}
