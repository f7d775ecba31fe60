import { readFileSync } from "node:fs";
import type { LinePeer } from "./line-peer.ts";
import type { Place, Way } from "./way.ts";

const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

export interface TurnFigures {
  firstDeltaMs: number;
  turnMs: number;
  /** Of the host process. */
  cpuMs: number;
  bytes: number;
  deltas: number;
  asks: number;
}

/** One run of a way: a process of its own, and a client that adds as little as it can. */
export class Visit {
  readonly #way: Way;
  readonly peer: LinePeer;
  readonly readyMs: number;

  private constructor(way: Way, peer: LinePeer, readyMs: number) {
    this.#way = way;
    this.peer = peer;
    this.readyMs = readyMs;
  }

  static async begin(way: Way, place: Place): Promise<Visit> {
    const startMs = performance.now();
    const peer = await way.start(place);
    try {
      await way.awaken(peer, place);
    } catch (error) {
      await peer.close();
      throw error;
    }
    return new Visit(way, peer, performance.now() - startMs);
  }

  /** Says it, allows what is asked, and sees the turn to its end. */
  async turn(text: string): Promise<TurnFigures> {
    const { peer } = this;
    const before = { cpuMs: this.cpuMs, bytes: peer.bytes };
    const startMs = performance.now();
    let firstDeltaMs = NaN;
    let [deltas, asks] = [0, 0];
    const ended = peer.until((line) => {
      const meaning = this.#way.read(line);
      if (meaning?.kind === "ask") {
        asks += 1;
        peer.send(meaning.answer);
      }
      if (meaning?.kind === "delta" && (deltas += 1) === 1) {
        firstDeltaMs = performance.now() - startMs;
      }
      return meaning?.kind === "done" ? performance.now() - startMs : undefined;
    });
    peer.send(this.#way.prompt(text));
    const turnMs = await ended;
    const cpuMs = this.cpuMs - before.cpuMs;
    return { firstDeltaMs, turnMs, cpuMs, bytes: peer.bytes - before.bytes, deltas, asks };
  }

  /** Of the host process, without the CLI. */
  get cpuMs(): number {
    const afterName = readFileSync(`/proc/${this.peer.pid}/stat`, "utf8").split(") ")[1]!;
    const fields = afterName.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }

  get residentMegabytes(): number {
    const pages = readFileSync(`/proc/${this.peer.pid}/statm`, "utf8").split(" ")[1];
    return (Number(pages) * PAGE_BYTES) / 1e6;
  }
}
