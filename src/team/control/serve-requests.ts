/** How many requests of one client are worked on at a time. */
const AT_ONCE = 8;

/**
 * Serves the requests of one client in their order, a few at a time. A request is over when the client has its
 * answer, so a client that does not read its answers has to wait, and takes up no more memory than a few answers.
 *
 * @param answer never rejects; resolves when the answer has been sent.
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
