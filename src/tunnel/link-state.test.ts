import { describe, expect, test } from "vitest";
import type { LinkFact, LinkState } from "./link-state.ts";
import { nextLink } from "./link-state.ts";

const apart: LinkState = { at: "apart", former: [] };

function after(...facts: LinkFact[]): { state: LinkState; effects: string[] } {
  let state = apart;
  const said: string[] = [];
  for (const fact of facts) {
    const [next, effects] = nextLink(state, fact, "self");
    state = next;
    said.push(...effects.map(({ type }) => type));
  }
  return { state, effects: said };
}

const beat = (from: string, to: string | undefined, nowMs = 0): LinkFact => ({
  type: "beat",
  from,
  to,
  nowMs,
});
const tick = (nowMs: number): LinkFact => ({ type: "tick", nowMs });

describe("a link", () => {
  test("is mutual once the peer has named this end", () => {
    expect(after(beat("a", undefined)).state).toMatchObject({ at: "joined", isMutual: false });
    expect(after(beat("a", undefined), beat("a", "self")).state).toMatchObject({ isMutual: true });
  });

  test("is lost after five silent seconds, and not before", () => {
    expect(after(beat("a", "self", 1000), tick(5999)).effects).toEqual(["came"]);
    expect(after(beat("a", "self", 1000), tick(6000)).effects).toEqual(["came", "lost"]);
  });

  test("is lost when another process follows the peer, whose late beats then count for nothing", () => {
    const { state, effects } = after(beat("a", "self"), beat("b", "self"), beat("a", "self"));
    expect(effects).toEqual(["came", "lost", "came"]);
    expect(state).toMatchObject({ at: "joined", peer: "b" });
  });

  test("does not go back to a peer that was frozen while another process followed it", () => {
    const frozen = [beat("a", "self", 0), tick(5000)] as const;
    const { state } = after(...frozen, beat("b", "self", 16_000), beat("a", "self", 17_000));
    expect(state).toMatchObject({ at: "joined", peer: "b" });
    // One that nobody has followed comes back.
    expect(after(...frozen, beat("a", "self", 9000)).state).toMatchObject({
      peer: "a",
      former: [],
    });
  });

  test("is displaced when a peer that knew this end names another one, and stays so", () => {
    const { state, effects } = after(beat("a", "self"), beat("a", "other"), beat("a", "self"));
    expect(effects).toEqual(["came", "lost", "displaced"]);
    expect(state.at).toBe("displaced");
  });

  test("waits for a peer that still names the process before this one", () => {
    expect(after(beat("a", "old"), beat("a", "self")).effects).toEqual(["came"]);
  });
});
