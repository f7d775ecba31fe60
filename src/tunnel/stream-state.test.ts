import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "./frame.ts";
import { decodeFrame, encodeFrame } from "./frame.ts";
import type { StreamEffect, StreamFact, TunnelStreamState } from "./stream-state.ts";
import { announcementOf, nextStream } from "./stream-state.ts";

/** One end of a stream, with what its reader got and what waits to be read. */
class End {
  state: TunnelStreamState;
  readonly out: Frame[] = [];
  received = "";
  unread = 0;
  mostUnread = 0;
  hasEnded = false;
  isLost = false;
  isWriting = false;

  constructor(state: TunnelStreamState) {
    this.state = state;
  }

  tell(fact: StreamFact): void {
    const [state, effects] = nextStream(this.state, fact);
    this.state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: StreamEffect): void {
    if (effect.type === "send") this.out.push(decodeFrame(encodeFrame(effect.frame))!);
    if (effect.type === "deliver") {
      this.received += Buffer.from(effect.bytes).toString("latin1");
      this.unread += effect.bytes.length;
      this.mostUnread = Math.max(this.mostUnread, this.unread);
    }
    if (effect.type === "deliver_end") this.hasEnded = true;
    if (effect.type === "written") this.isWriting = false;
    if (effect.type === "lost") this.isLost = true;
  }

  write(text: string): void {
    this.isWriting = true;
    this.tell({ type: "write", bytes: Buffer.from(text, "latin1") });
  }

  read(bytes: number): void {
    const took = Math.min(bytes, this.unread);
    this.unread -= took;
    if (took > 0) this.tell({ type: "reader_took", bytes: took });
  }
}

const WINDOW = 64;

function openPair(): [End, End] {
  const one = new End({ at: "asked", window: WINDOW });
  const two = new End({ at: "asked_for", window: WINDOW, allowed: WINDOW });
  two.tell({ type: "taken" });
  pass(two, one);
  return [one, two];
}

function pass(from: End, to: End): void {
  for (const frame of from.out.splice(0)) to.tell({ type: "frame", frame });
}

const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), end: fc.nat(1), size: fc.nat(200) }),
  fc.record({ do: fc.constant("read" as const), end: fc.nat(1), size: fc.nat(100) }),
  fc.record({ do: fc.constant("pass" as const), end: fc.nat(1), size: fc.nat(8) }),
  fc.record({ do: fc.constant("beat" as const), end: fc.nat(1), size: fc.constant(0) }),
);
const fault = fc.constantFrom("drop", "repeat", "swap");
const letters = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(10);

describe("a stream over a carrier that may lose, repeat and reorder", () => {
  test("every reader gets a beginning of what was written, never holds more than its window, and no end after a loss", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120 }),
        fc.array(fc.tuple(fc.nat(60), fault), { maxLength: 3 }),
        (steps, faults) => {
          const ends = openPair();
          const written = ["", ""];
          let passed = 0;
          for (const { do: what, end, size } of steps) {
            const [self, peer] = end === 0 ? ends : [ends[1], ends[0]];
            if (what === "write" && !self.isWriting && self.state.at === "open") {
              const text = letters.slice(written[end]!.length % 36).slice(0, size);
              written[end] += text;
              self.write(text);
            } else if (what === "read") self.read(size);
            else if (what === "beat") {
              const announced = announcementOf(self.state);
              // A beat comes after what was sent before it.
              pass(self, peer);
              if (announced)
                peer.tell({ type: "announced", seq: announced[0], granted: announced[1] });
            } else {
              for (let count = 0; count < size && self.out.length > 0; count += 1) {
                const found = faults.find(([at]) => at === passed);
                passed += 1;
                if (found?.[1] === "swap" && self.out[1]) {
                  [self.out[0], self.out[1]] = [self.out[1], self.out[0]!];
                }
                const frame = self.out.shift()!;
                if (found?.[1] === "drop") continue;
                peer.tell({ type: "frame", frame });
                if (found?.[1] === "repeat") peer.tell({ type: "frame", frame });
              }
            }
            for (const [at, each] of ends.entries()) {
              expect(written[1 - at]!.startsWith(each.received)).toBe(true);
              expect(each.mostUnread).toBeLessThanOrEqual(WINDOW);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test("without faults everything arrives in order, however it is cut, and both ends close", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 300 })),
        fc.integer({ min: 1, max: 90 }),
        (texts, bite) => {
          const [one, two] = openPair();
          const latin = texts.map((text) => text.replaceAll(/[^ -~]/g, "?"));
          for (const text of latin) {
            one.write(text);
            for (let tries = 0; one.isWriting; tries += 1) {
              if (tries > 1000) throw new Error("the stream stands still");
              pass(one, two);
              two.read(bite);
              pass(two, one);
            }
          }
          one.tell({ type: "end" });
          two.tell({ type: "end" });
          pass(one, two);
          pass(two, one);
          expect(two.received).toBe(latin.join(""));
          expect([two.hasEnded, one.hasEnded]).toEqual([true, true]);
          expect([one.state.at, two.state.at]).toEqual(["closed", "closed"]);
        },
      ),
    );
  });
});

describe("a stream", () => {
  test("ends with a reset when a frame is missing", () => {
    const [one, two] = openPair();
    one.write("a");
    one.write("b");
    one.out.shift();
    pass(one, two);
    expect(two).toMatchObject({ isLost: true, received: "", state: { at: "closed" } });
    pass(two, one);
    expect(one.isLost).toBe(true);
  });

  test("whose last frame was lost ends at the next beat", () => {
    const [one, two] = openPair();
    one.write("a");
    one.out.length = 0;
    const [seq, granted] = announcementOf(one.state)!;
    two.tell({ type: "announced", seq, granted });
    expect(two.isLost).toBe(true);
  });

  test("goes on when a credit was lost, since the next beat repeats it", () => {
    const [one, two] = openPair();
    one.write("x".repeat(WINDOW + 10));
    pass(one, two);
    two.read(WINDOW);
    two.out.length = 0;
    expect(one.isWriting).toBe(true);
    const [seq, granted] = announcementOf(two.state)!;
    one.tell({ type: "announced", seq, granted });
    expect(one.isWriting).toBe(false);
  });

  test("ends when the peer sends more than it may", () => {
    const [one, two] = openPair();
    const body = Buffer.alloc(WINDOW + 1);
    two.tell({ type: "frame", frame: { type: "data", seq: 0, body } });
    expect(two).toMatchObject({ isLost: true, received: "" });
    expect(one.isLost).toBe(false);
  });

  test("whose sender has ended still carries bytes in the other direction", () => {
    const [one, two] = openPair();
    one.tell({ type: "end" });
    pass(one, two);
    expect(two.hasEnded).toBe(true);
    two.write("answer");
    pass(two, one);
    expect(one.received).toBe("answer");
    two.tell({ type: "end" });
    pass(two, one);
    expect([one.state.at, two.state.at]).toEqual(["closed", "closed"]);
  });
});
