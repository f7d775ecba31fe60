/** How many requests of one client are worked on at a time. */
const AT_ONCE = 8;

/**
 * Serves the requests of one client in their order, a few at a time. A request is over when the client has its
 * answer, so one that asks and does not read is asked to wait, and costs no more than a few answers.
 *
 * @param answer never rejects; resolves when the answer has been given out.
 */
export async function serveRequests<Line>(
  lines: AsyncIterable<Line>,
  answer: (line: Line) => Promise<void>,
): Promise<void> {
  const open = new Set<Promise<void>>();
  for await (const line of lines) {
    const one = answer(line).finally(() => open.delete(one));
    open.add(one);
    if (open.size >= AT_ONCE) await Promise.race(open);
  }
}
