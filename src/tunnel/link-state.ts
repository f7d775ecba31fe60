/** Whether there is a peer at the other end of a tunnel. */
export type LinkState =
  | {
      readonly at: "apart";
      /** The peer that fell silent: it may come back, unless another process follows it first. */
      readonly last?: string;
      readonly former: readonly string[];
    }
  | {
      readonly at: "joined";
      readonly peer: string;
      readonly heardMs: number;
      /** The peer has named this end in a beat: it takes its streams. */
      readonly isMutual: boolean;
      readonly former: readonly string[];
    }
  /** The peer talks with another process under this end's name. It stays so. */
  | { readonly at: "displaced"; readonly former: readonly string[] };

export type LinkFact =
  | {
      readonly type: "beat";
      readonly from: string;
      readonly to: string | undefined;
      readonly nowMs: number;
    }
  | { readonly type: "tick"; readonly nowMs: number };

export type LinkEffect =
  | { readonly type: "came"; readonly peer: string }
  | { readonly type: "lost"; readonly why: string }
  | { readonly type: "displaced" };

/** The time between two beats. */
export const BEAT_MS = 1000;
const MISSED_BEATS = 5;
const FORMER = 32;

/**
 * @param self this end's incarnation.
 */
export function nextLink(
  link: LinkState,
  fact: LinkFact,
  self: string,
): readonly [LinkState, readonly LinkEffect[]] {
  if (link.at === "displaced") return [link, []];
  if (fact.type === "tick") {
    const isSilent = link.at === "joined" && fact.nowMs - link.heardMs >= MISSED_BEATS * BEAT_MS;
    if (!isSilent) return [link, []];
    const apart: LinkState = { at: "apart", last: link.peer, former: link.former };
    return [apart, [lost("the peer has fallen silent")]];
  }
  const { from, to, nowMs } = fact;
  // It was followed by another process, and does not know it yet: it was held up.
  if (link.former.includes(from)) return [link, []];
  const named = to === self;
  if (link.at === "joined" && link.peer === from) {
    if (link.isMutual && to !== undefined && !named)
      return [{ at: "displaced", former: link.former }, [lost(takenOver), { type: "displaced" }]];
    return [{ ...link, heardMs: nowMs, isMutual: link.isMutual || named }, []];
  }
  const last = link.at === "joined" ? link.peer : link.last;
  const isFollower = last !== undefined && last !== from;
  const former = isFollower ? [...link.former, last].slice(-FORMER) : link.former;
  const next: LinkState = { at: "joined", peer: from, heardMs: nowMs, isMutual: named, former };
  const before = link.at === "joined" ? [lost("another process has followed the peer")] : [];
  return [next, [...before, { type: "came", peer: from }]];
}

const takenOver = "another process uses this name";

const lost = (why: string): LinkEffect => ({ type: "lost", why });
