import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Clock } from "../time/clock.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import { encodeJson, parseJson } from "../wire/json-payload.ts";
import { TUNNEL_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";
import type { TunnelBeat } from "../wire/tunnel.ts";
import { TunnelBeatSchema, TunnelOpenSchema } from "../wire/tunnel.ts";
import type { Carrier } from "./carrier.ts";
import type { Frame } from "./frame.ts";
import { decodeFrame, encodeFrame } from "./frame.ts";
import type { LinkFact, LinkState } from "./link-state.ts";
import { BEAT_MS, nextLink } from "./link-state.ts";
import { announcementOf } from "./stream-state.ts";
import { connectionLost, decodeRefusal, encodeRefusal } from "./tunnel-errors.ts";
import { TunnelStream } from "./tunnel-stream.ts";
import { Windows } from "./windows.ts";

/** Uses a stream that the peer has asked for. */
export type StreamUser = (stream: Duplex) => void;

export interface TunnelOptions {
  readonly carrier: Carrier;
  readonly clock: Clock;
  /** Shared by all tunnels of one connection. */
  readonly windows?: Windows;
  /** By default a random one. */
  readonly incarnation?: string;
  /**
   * Decides on a stream that the peer asks for. The signal is aborted when the peer gives it up.
   *
   * @throws why it is refused: the peer gets that error.
   */
  readonly accept: (about: JsonObject, signal: AbortSignal) => Promise<StreamUser>;
  /** What each beat tells the peer. */
  readonly says?: () => JsonObject | undefined;
  readonly onLink?: (event: LinkEvent) => void;
}

export type LinkEvent =
  | { readonly type: "joined"; readonly peer: string }
  /** What the peer's newest beat tells. */
  | { readonly type: "said"; readonly says: JsonObject }
  | { readonly type: "lost"; readonly why: string }
  /** Another process uses this end's name: nothing will come here any more. */
  | { readonly type: "displaced" }
  | { readonly type: "other_version"; readonly version: number };

const BEAT = "beat";
/** A stream that the peer does not name in so many beats has not reached it. */
const UNNAMED_BEATS = 2;

interface Held {
  readonly stream: TunnelStream;
  readonly window: number;
  readonly giveUp: AbortController;
  readonly asked: PromiseWithResolvers<Duplex> | undefined;
  unnamed: number;
}

/**
 * Byte streams to one peer over messages that may be lost. A stream whose message is lost ends with an error, as do all when the
 * peer falls silent or another process follows it: nothing is sent twice.
 */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #self: string;
  readonly #windows: Windows;
  readonly #held = new Map<string, Held>();
  readonly #unsubscribe: () => void;
  #link: LinkState = { at: "apart", former: [] };
  #count = 0;
  /** The newest stream that the peer has asked for: one that comes late is refused. */
  #newestAsked = 0;
  #cancelBeat = (): void => {};
  #isClosed = false;

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#self = options.incarnation ?? randomBytes(8).toString("hex");
    this.#windows = options.windows ?? new Windows();
    this.#unsubscribe = options.carrier.subscribe((channel, bytes) => this.#take(channel, bytes));
    this.#beatRegularly();
  }

  /** There is a peer, and it takes streams. */
  get isJoined(): boolean {
    return this.#link.at === "joined" && this.#link.isMutual;
  }

  get openStreams(): number {
    return this.#held.size;
  }

  /**
   * Opens a stream. It resolves when the peer has taken it.
   *
   * @throws the peer's error; `connection_failed` when there is no peer; `connection_lost`; the signal's reason.
   */
  async open(about: JsonObject, signal: AbortSignal): Promise<Duplex> {
    signal.throwIfAborted();
    if (!this.isJoined)
      throw errorOf("connection_failed", "Nobody is at the other end of the tunnel.");
    this.#count += 1;
    const asked = Promise.withResolvers<Duplex>();
    const window = this.#windows.take();
    const { stream } = this.#hold(`${this.#self}-${this.#count}`, window, undefined, asked);
    this.#send(`${this.#self}-${this.#count}`, {
      type: "open",
      body: encodeJson({ window, about }),
    });
    const abort = (): void => {
      asked.reject(signal.reason as Error);
      stream.destroy();
    };
    signal.addEventListener("abort", abort);
    try {
      return await asked.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Sends a beat now: what this end says has changed. */
  beat(): void {
    const { says, carrier } = this.#options;
    const peer = this.#link.at === "joined" ? this.#link.peer : undefined;
    const words = says?.();
    const beat: TunnelBeat = {
      protocol: TUNNEL_PROTOCOL_VERSION,
      from: this.#self,
      ...(peer !== undefined && { to: peer }),
      streams: Object.fromEntries(
        [...this.#held].flatMap(([id, { stream }]) => {
          const announced = announcementOf(stream.state);
          return announced ? [[id, announced]] : [];
        }),
      ),
      ...(words && { says: words }),
    };
    carrier.publish(BEAT, encodeJson(beat));
  }

  /** Ends all streams. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelBeat();
    this.#loseAll("this end was closed", true);
    this.#unsubscribe();
  }

  #beatRegularly(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#apply({ type: "tick", nowMs: clock.steadyMs() });
    this.beat();
    this.#cancelBeat = clock.after(BEAT_MS, () => this.#beatRegularly());
  }

  #take(channel: string, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (channel === BEAT) return this.#takeBeat(bytes);
    const frame = decodeFrame(bytes);
    if (!frame) return;
    const held = this.#held.get(channel);
    if (frame.type === "open") {
      if (!held) this.#asked(channel, frame.body);
      // Asked for twice: what comes on it is of unknown order.
      else held.stream.tell({ type: "frame", frame });
    } else if (held) held.stream.tell({ type: "frame", frame });
    else if (frame.type !== "reset" && frame.type !== "no") this.#send(channel, { type: "reset" });
  }

  #takeBeat(bytes: Uint8Array): void {
    const parsed = parseJson(bytes);
    const checked = TunnelBeatSchema.safeParse(parsed.ok ? parsed.value : undefined);
    if (!checked.success) return;
    const { protocol, from, to, streams, says } = checked.data;
    if (protocol !== TUNNEL_PROTOCOL_VERSION)
      return this.#options.onLink?.({ type: "other_version", version: protocol });
    this.#apply({ type: "beat", from, to, nowMs: this.#options.clock.steadyMs() });
    if (this.#link.at !== "joined" || this.#link.peer !== from) return;
    if (says) this.#options.onLink?.({ type: "said", says });
    // What it says of streams counts only when it knows whose they are.
    if (to === this.#self) this.#compare(streams);
  }

  /** Finds what was lost without a further message that would show it. */
  #compare(streams: TunnelBeat["streams"]): void {
    for (const [id, held] of this.#held) {
      const announced = streams[id];
      if (announced) {
        held.unnamed = 0;
        held.stream.tell({ type: "announced", seq: announced[0], granted: announced[1] });
        continue;
      }
      held.unnamed += 1;
      if (held.stream.state.at === "asked" && held.unnamed < UNNAMED_BEATS) continue;
      held.stream.tell({ type: "peer_gone", why: "the peer does not know it" });
    }
  }

  #apply(fact: LinkFact): void {
    const wasJoined = this.isJoined;
    const [link, effects] = nextLink(this.#link, fact, this.#self);
    this.#link = link;
    for (const effect of effects) {
      if (effect.type === "lost") {
        this.#newestAsked = 0;
        this.#loseAll(effect.why, false);
        this.#options.onLink?.(effect);
      } else if (effect.type === "displaced") this.#options.onLink?.(effect);
      // So that the peer, too, knows at once whom it talks with.
      else this.beat();
    }
    if (!wasJoined && link.at === "joined" && link.isMutual)
      this.#options.onLink?.({ type: "joined", peer: link.peer });
  }

  #loseAll(why: string, tellPeer: boolean): void {
    for (const [id, held] of this.#held) {
      held.stream.tell({ type: "peer_gone", why });
      if (tellPeer) this.#send(id, { type: "reset" });
    }
  }

  #asked(channel: string, body: Uint8Array): void {
    const [opener = "", number = ""] = channel.split("-");
    const count = Number(number);
    if (this.#link.at !== "joined" || opener !== this.#link.peer || !(count > this.#newestAsked))
      return this.#send(channel, { type: "reset" });
    this.#newestAsked = count;
    const parsed = parseJson(body);
    const checked = TunnelOpenSchema.safeParse(parsed.ok ? parsed.value : undefined);
    if (!checked.success) {
      const error = errorOf("invalid_request", "What the stream is opened with cannot be read.");
      return this.#send(channel, { type: "no", body: encodeRefusal(error) });
    }
    const { window: allowed, about } = checked.data;
    const held = this.#hold(channel, this.#windows.take(), allowed, undefined);
    void this.#decide(held, about);
  }

  async #decide({ stream, giveUp }: Held, about: JsonObject): Promise<void> {
    try {
      const use = await this.#options.accept(about, giveUp.signal);
      stream.tell({ type: "taken" });
      use(stream);
    } catch (error) {
      stream.tell({ type: "refused", body: encodeRefusal(error) });
      stream.destroy();
    }
  }

  #hold(id: string, window: number, allowed: number | undefined, asked: Held["asked"]): Held {
    const giveUp = new AbortController();
    const stream = new TunnelStream({
      state: allowed === undefined ? { at: "asked", window } : { at: "asked_for", window, allowed },
      send: (frame) => this.#send(id, frame),
      onOpened: () => asked?.resolve(stream),
      onDenied: (body) => {
        asked?.reject(decodeRefusal(body));
        stream.destroy();
      },
      onClosed: () => {
        this.#held.delete(id);
        this.#windows.giveBack(window);
        giveUp.abort(connectionLost("it was given up"));
      },
    });
    // A user that listens hears it too; without one it must not end the process.
    stream.on("error", (error) => asked?.reject(error));
    const held = { stream, window, giveUp, asked, unnamed: 0 };
    this.#held.set(id, held);
    return held;
  }

  #send(channel: string, frame: Frame): void {
    this.#options.carrier.publish(channel, encodeFrame(frame));
  }
}
