import { MAX_DATA_BYTES } from "./carrier.ts";
import type { Frame } from "./frame.ts";
import { nextSeq } from "./frame.ts";

/** What this end has sent, and may send. Bytes are counted from the beginning of the stream. */
interface Sending {
  /** Of the next frame. */
  readonly seq: number;
  readonly bytes: number;
  /** So many bytes the peer takes in all. */
  readonly allowed: number;
  /** What waits for credit. One write at a time. */
  readonly waiting: Uint8Array | undefined;
  readonly at: "open" | "ending" | "ended";
}

/** What this end has received, and takes. */
interface Receiving {
  readonly seq: number;
  readonly bytes: number;
  /** So many of them the reader has taken. */
  readonly taken: number;
  /** So many the peer was last told that it may send in all. */
  readonly granted: number;
  readonly at: "open" | "ended";
}

/** One stream of a tunnel, as one of its ends sees it. `window`: how many bytes this end holds for a slow reader. */
export type TunnelStreamState =
  /** This end has asked for it. */
  | { readonly at: "asked"; readonly window: number }
  /** The peer has asked for it, and this end has not answered. */
  | { readonly at: "asked_for"; readonly window: number; readonly allowed: number }
  | {
      readonly at: "open";
      readonly window: number;
      readonly sending: Sending;
      readonly receiving: Receiving;
    }
  | { readonly at: "closed" };

export type StreamFact =
  | { readonly type: "frame"; readonly frame: Frame }
  /** The peer's beat: how many frames it has sent, and how many bytes it takes in all. */
  | { readonly type: "announced"; readonly seq: number; readonly granted: number }
  /** The peer does not know the stream, or is gone itself. */
  | { readonly type: "peer_gone"; readonly why: string }
  | { readonly type: "taken" }
  | { readonly type: "refused"; readonly body: Uint8Array }
  | { readonly type: "write"; readonly bytes: Uint8Array }
  | { readonly type: "end" }
  | { readonly type: "reader_took"; readonly bytes: number }
  /** This end wants no more of it. */
  | { readonly type: "destroyed" };

export type StreamEffect =
  | { readonly type: "send"; readonly frame: Frame }
  | { readonly type: "opened" }
  | { readonly type: "denied"; readonly body: Uint8Array }
  | { readonly type: "deliver"; readonly bytes: Uint8Array }
  | { readonly type: "deliver_end" }
  /** The bytes of the last write are on their way. */
  | { readonly type: "written" }
  /** The end is on its way. */
  | { readonly type: "finished" }
  | { readonly type: "lost"; readonly why: string };

type Step = readonly [TunnelStreamState, readonly StreamEffect[]];
type Open = Extract<TunnelStreamState, { at: "open" }>;

const closed: TunnelStreamState = { at: "closed" };
const reset: StreamEffect = { type: "send", frame: { type: "reset" } };

/** The stream after the fact, and what is to be done. What does not belong to a state ends the stream: a gap, for example. */
export function nextStream(state: TunnelStreamState, fact: StreamFact): Step {
  switch (state.at) {
    case "asked":
      return nextAsked(state, fact);
    case "asked_for":
      return nextAskedFor(state, fact);
    case "open":
      return nextOpen(state, fact);
    case "closed":
      return [state, []];
    default:
      return state satisfies never;
  }
}

function nextAsked(state: Extract<TunnelStreamState, { at: "asked" }>, fact: StreamFact): Step {
  switch (fact.type) {
    case "frame":
      if (fact.frame.type === "ok")
        return [opened(state.window, fact.frame.window), [{ type: "opened" }]];
      if (fact.frame.type === "no") return [closed, [{ type: "denied", body: fact.frame.body }]];
      return broken(fact.frame, "the peer began without an answer");
    case "peer_gone":
      return [closed, [{ type: "lost", why: fact.why }]];
    case "destroyed":
      return [closed, [reset]];
    default:
      return [state, []];
  }
}

function nextAskedFor(
  state: Extract<TunnelStreamState, { at: "asked_for" }>,
  fact: StreamFact,
): Step {
  switch (fact.type) {
    case "taken": {
      const ok: Frame = { type: "ok", window: state.window };
      return [opened(state.window, state.allowed), [{ type: "send", frame: ok }]];
    }
    case "refused":
      return [closed, [{ type: "send", frame: { type: "no", body: fact.body } }]];
    case "frame":
      return broken(fact.frame, "the peer did not wait for the answer");
    case "peer_gone":
      return [closed, [{ type: "lost", why: fact.why }]];
    case "destroyed":
      return [closed, [reset]];
    default:
      return [state, []];
  }
}

const opened = (window: number, allowed: number): Open => ({
  at: "open",
  window,
  sending: { seq: 0, bytes: 0, allowed, waiting: undefined, at: "open" },
  receiving: { seq: 0, bytes: 0, taken: 0, granted: window, at: "open" },
});

function nextOpen(state: Open, fact: StreamFact): Step {
  const { sending, receiving } = state;
  switch (fact.type) {
    case "frame":
      return received(state, fact.frame);
    case "announced":
      if (fact.seq !== receiving.seq) return broken(undefined, "a message was lost");
      return allowed(state, fact.granted);
    case "write":
      return flushed({ ...state, sending: { ...sending, waiting: fact.bytes } });
    case "end":
      return flushed({ ...state, sending: { ...sending, at: "ending" } });
    case "reader_took":
      return granted({
        ...state,
        receiving: { ...receiving, taken: receiving.taken + fact.bytes },
      });
    case "peer_gone":
      return [closed, [{ type: "lost", why: fact.why }]];
    case "destroyed":
      return [closed, [reset]];
    default:
      return [state, []];
  }
}

function received(state: Open, frame: Frame): Step {
  const { receiving } = state;
  switch (frame.type) {
    case "data": {
      const bytes = receiving.bytes + frame.body.length;
      if (receiving.at === "ended") return broken(frame, "the peer went on after its end");
      if (frame.seq !== receiving.seq) return broken(frame, "a message was lost");
      if (bytes > receiving.granted) return broken(frame, "the peer sent more than it may");
      const next = { ...receiving, seq: nextSeq(receiving.seq), bytes };
      return [{ ...state, receiving: next }, [{ type: "deliver", bytes: frame.body }]];
    }
    case "end": {
      if (receiving.at === "ended" || frame.seq !== receiving.seq)
        return broken(frame, "a message was lost");
      const next: Receiving = { ...receiving, seq: nextSeq(receiving.seq), at: "ended" };
      return [closedIfDone({ ...state, receiving: next }), [{ type: "deliver_end" }]];
    }
    case "credit":
      return allowed(state, frame.granted);
    default:
      return broken(frame, "the peer ended it");
  }
}

/** What is allowed never shrinks: an old message may come late. */
const allowed = (state: Open, bytes: number): Step =>
  bytes <= state.sending.allowed
    ? [state, []]
    : flushed({ ...state, sending: { ...state.sending, allowed: bytes } });

/** Sends what waits as far as there is credit, and the end after it. */
function flushed(state: Open): Step {
  const effects: StreamEffect[] = [];
  let { seq, bytes, waiting, at } = state.sending;
  while (waiting && waiting.length > 0) {
    const room = Math.min(state.sending.allowed - bytes, MAX_DATA_BYTES);
    if (room <= 0) break;
    const body = waiting.subarray(0, room);
    effects.push({ type: "send", frame: { type: "data", seq, body } });
    seq = nextSeq(seq);
    bytes += body.length;
    waiting = waiting.subarray(body.length);
  }
  if (waiting?.length === 0) {
    waiting = undefined;
    effects.push({ type: "written" });
  }
  if (at === "ending" && !waiting) {
    effects.push({ type: "send", frame: { type: "end", seq } }, { type: "finished" });
    seq = nextSeq(seq);
    at = "ended";
  }
  return [
    closedIfDone({ ...state, sending: { ...state.sending, seq, bytes, waiting, at } }),
    effects,
  ];
}

/** Tells the peer of room that has become free, when it is a good part of the window. */
function granted(state: Open): Step {
  const { receiving, window } = state;
  const free = receiving.taken + window - receiving.granted;
  if (receiving.at === "ended" || free < window / 4) return [state, []];
  const next = receiving.taken + window;
  const credit: Frame = { type: "credit", granted: next };
  return [
    { ...state, receiving: { ...receiving, granted: next } },
    [{ type: "send", frame: credit }],
  ];
}

const closedIfDone = (state: Open): TunnelStreamState =>
  state.sending.at === "ended" && state.receiving.at === "ended" ? closed : state;

const broken = (frame: Frame | undefined, why: string): Step => [
  closed,
  [...(frame?.type === "reset" ? [] : [reset]), { type: "lost", why }],
];

/** What a beat tells the peer of this stream. */
export function announcementOf(
  state: TunnelStreamState,
): [seq: number, granted: number] | undefined {
  if (state.at === "closed") return undefined;
  return state.at === "open" ? [state.sending.seq, state.receiving.granted] : [0, state.window];
}
