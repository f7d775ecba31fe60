import type { SessionAnswerOf } from "../../wire/session/answers.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { blockName, pieceOf, streamOf } from "./join-deltas.ts";
import { textsOf } from "./texts-to-search.ts";

type Hit = SessionAnswerOf<"found">["hits"][number];

/** How much of a preview comes before and after the beginning of the text. */
const CHARS_BEFORE = 60;
const CHARS_AFTER = 160;

/** A hit in a text that comes in pieces: older pieces have what stands before it. */
interface OpenHit {
  readonly hit: Hit;
  before: string;
  readonly after: string;
}

interface Stream {
  /** The beginning of what follows the piece that comes next. */
  following: string;
  open: OpenHit[];
}

/** Looks for a text in events that come newest first. Upper and lower case are the same. */
export class Finder {
  readonly hits: Hit[] = [];
  readonly #pattern: RegExp;
  readonly #textLength: number;
  readonly #streams = new Map<string, Stream>();
  /** Blocks and calls that a newer event has taken back. */
  readonly #retracted = new Set<string>();
  /** The time of the event, or of the next newer one that has a time. */
  #at: string | undefined;

  constructor(text: string) {
    // Upper and lower case of a letter have the same length with this flag, so that positions hold.
    this.#pattern = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), "iu");
    this.#textLength = text.length;
  }

  get count(): number {
    return this.hits.length;
  }

  /** How much of the end of a part has to be looked at again with the next part. */
  get overlap(): number {
    return Math.max(this.#textLength, CHARS_BEFORE);
  }

  /** Nothing more can be added to the previews, as far as is known. */
  get isComplete(): boolean {
    return [...this.#streams.values()].every(({ open }) => open.length === 0);
  }

  /**
   * Looks into an event. With `isContext` it is no hit itself, but a text may begin before it and end in it. Returns the
   * payloads that have to be looked at as well.
   */
  take(event: SessionEvent, isContext: boolean): string[] {
    if ("at" in event) this.#at = event.at;
    if (event.type === "text_delta" || event.type === "thinking_delta") {
      this.#takePiece(event, isContext);
      return [];
    }
    this.#noteRetraction(event);
    if (isContext || (event.type === "tool_use" && this.#retracted.has(`call ${event.request_id}`)))
      return [];
    const { texts, blobs } = textsOf(event);
    return texts.some((text) => this.takeText(event, text)) ? [] : blobs;
  }

  /** Looks into a text of the event. Returns whether it is a hit. */
  takeText(event: SessionEvent, text: string): boolean {
    const at = this.#pattern.exec(text)?.index;
    if (at === undefined) return false;
    const preview = text.slice(Math.max(at - CHARS_BEFORE, 0), at + CHARS_AFTER);
    this.hits.push(this.#hitOf(event, preview));
    return true;
  }

  /** Adds what stands before the hits that there are. */
  complete(event: SessionEvent): void {
    const stream = this.#streams.get(streamOf(event) ?? "");
    if (stream) addBefore(stream, pieceOf(event));
  }

  #takePiece(event: SessionEvent, isContext: boolean): void {
    const name = streamOf(event) ?? "";
    if (this.#retracted.has(name)) return;
    const stream = this.#streams.get(name) ?? { following: "", open: [] };
    this.#streams.set(name, stream);
    const piece = pieceOf(event);
    addBefore(stream, piece);
    const text = piece + stream.following;
    const at = isContext ? undefined : this.#pattern.exec(text)?.index;
    if (at !== undefined && at < piece.length) {
      const before = text.slice(Math.max(at - CHARS_BEFORE, 0), at);
      const after = text.slice(at, at + CHARS_AFTER);
      const hit = this.#hitOf(event, before + after);
      this.hits.push(hit);
      stream.open.push({ hit, before, after });
    }
    stream.following = text.slice(0, Math.max(this.#textLength, CHARS_AFTER));
  }

  #noteRetraction(event: SessionEvent): void {
    if (event.type === "tool_result") this.#retracted.delete(`call ${event.request_id}`);
    if (event.type !== "retracted") return;
    if (event.request_id !== undefined) this.#retracted.add(`call ${event.request_id}`);
    if (event.block === undefined) return;
    for (const type of ["text_delta", "thinking_delta"] as const) {
      const name = blockName(type, event.block, event);
      this.#retracted.add(name);
      this.#streams.delete(name);
    }
  }

  #hitOf(event: SessionEvent, preview: string): Hit {
    const { seq, type, turn_id } = event;
    const parent = "parent" in event ? event.parent : undefined;
    const request_id = "request_id" in event ? event.request_id : undefined;
    return {
      seq,
      type,
      ...(this.#at !== undefined && { at: this.#at }),
      ...(turn_id !== undefined && { turn_id }),
      ...(parent !== undefined && { parent }),
      ...(request_id !== undefined && { request_id }),
      ...("id" in event && { id: event.id }),
      preview: wellFormed(preview),
    };
  }
}

function addBefore(stream: Stream, piece: string): void {
  for (const each of stream.open) {
    each.before = (piece + each.before).slice(-CHARS_BEFORE);
    each.hit.preview = wellFormed(each.before + each.after);
  }
  stream.open = stream.open.filter(({ before }) => before.length < CHARS_BEFORE);
}

/** Half of a surrogate pair would be invalid text. */
const wellFormed = (text: string): string =>
  text.replace(/^[\uDC00-\uDFFF]/, "").replace(/[\uD800-\uDBFF]$/, "");
