import { LinePeer } from "../session/line-peer.ts";
import type { Line, Place } from "../session/way.ts";
import { cpuMsOf, residentMegabytesOf } from "./processes.ts";
import type { FaceWay } from "./ways.ts";

interface AcpParams {
  update?: { sessionUpdate: string; content?: { text?: string } };
  options?: { kind: string; optionId: string }[];
}

export interface TurnFigures {
  firstDeltaMs: number;
  turnMs: number;
  cpuMs: number;
  bytes: number;
  text: string;
  asks: number;
}

/** One program of a way, and an editor that adds as little as it can. */
export class AcpVisit {
  readonly peer: LinePeer;
  readonly #place: Place;
  sessionId = "";
  #calls = 0;

  constructor(way: FaceWay, place: Place) {
    this.#place = place;
    this.peer = new LinePeer([...way.args], { ...place, env: way.env(place) });
  }

  async call(method: string, params: object): Promise<Line> {
    const id = `call-${(this.#calls += 1)}`;
    const answered = this.peer.until((line) => {
      if (line.id !== id || line["method"] !== undefined) return undefined;
      if (line["error"] !== undefined)
        throw new Error(`${method}: ${JSON.stringify(line["error"])}`);
      return line["result"] as Line;
    });
    this.peer.send({ jsonrpc: "2.0", id, method, params });
    return answered;
  }

  /** From the start of the program until a session is there and its CLI has carried out a first request. */
  async begin(): Promise<number> {
    const startMs = performance.now();
    const { cwd } = this.#place;
    await this.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    this.sessionId = String((await this.call("session/new", { cwd, mcpServers: [] }))["sessionId"]);
    await this.call("session/set_mode", { sessionId: this.sessionId, modeId: "default" });
    return performance.now() - startMs;
  }

  /** Says it, allows what is asked, and sees the turn to its end. @param onAsk in place of allowing. */
  async turn(text: string, onAsk?: () => void): Promise<TurnFigures> {
    const { peer } = this;
    const before = { cpuMs: this.cpuMs, bytes: peer.bytes };
    const startMs = performance.now();
    let firstDeltaMs = NaN;
    let said = "";
    let asks = 0;
    const id = "prompt";
    const ended = peer.until((line) => {
      const { update, options } = (line["params"] ?? {}) as AcpParams;
      if (update?.sessionUpdate === "agent_message_chunk") {
        if (said === "") firstDeltaMs = performance.now() - startMs;
        said += update.content?.text ?? "";
      }
      if (line["method"] === "session/request_permission") {
        asks += 1;
        if (onAsk) onAsk();
        else this.allow(line, options ?? []);
      }
      return line.id === id && line["method"] === undefined
        ? performance.now() - startMs
        : undefined;
    });
    const prompt = [{ type: "text", text }];
    peer.send({
      jsonrpc: "2.0",
      id,
      method: "session/prompt",
      params: { sessionId: this.sessionId, prompt },
    });
    const turnMs = await ended;
    return {
      firstDeltaMs,
      turnMs,
      cpuMs: this.cpuMs - before.cpuMs,
      bytes: peer.bytes - before.bytes,
      text: said,
      asks,
    };
  }

  allow({ id }: Line, options: { kind: string; optionId: string }[]): void {
    const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
    this.peer.send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId } } });
  }

  get #home(): string {
    return this.#place.env["HOME"] ?? "";
  }

  get cpuMs(): number {
    return cpuMsOf(this.#home);
  }

  get residentMegabytes(): number {
    return residentMegabytesOf(this.#home);
  }
}
