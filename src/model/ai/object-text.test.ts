import { describe, expect, test } from "vitest";
import { ObjectText } from "./object-text.ts";

const anyKey = (): boolean => true;
const isKey = (key: string): boolean => ["name", "people"].includes(key);

/** Gives the text in pieces, and what was told after each. */
function tell(text: ObjectText, json: string, { id = "1", chars = 1 } = {}): string[] {
  const pieces = json.match(new RegExp(`[^]{1,${chars}}`, "g")) ?? [];
  return pieces.map((piece) => text.take(id, piece));
}

const objects = [
  { name: "Berlin", people: 3.7, isBig: true },
  { list: [1, [2, { a: null }], "x"], nested: { deep: { text: 'a "quoted" \\ and \u2028 \n' } } },
  { empty: {}, none: [], escape: "\u0007 \ud83d\ude00", 'key " with': "{[,:]}" },
  { "": "", zero: -0.5e-7 },
  {},
];

describe("an object in pieces", () => {
  test.each(objects)("is streamed as it comes, and complete at the end: %j", (object) => {
    for (const json of [JSON.stringify(object), JSON.stringify(object, null, 2)]) {
      for (const chars of [1, 2, 3, 7, 1_000]) {
        const text = new ObjectText(anyKey);
        const told = tell(text, json, { chars });
        expect(JSON.parse([...told, text.finish(object)].join(""))).toEqual(object);
      }
    }
  });

  test.each(objects)("can be abandoned anywhere for another one: %j", (object) => {
    const json = JSON.stringify(object);
    const other = { ...object, name: "Paris" };
    for (let length = 0; length <= json.length; length += 1) {
      const text = new ObjectText(anyKey);
      const first = tell(text, json.slice(0, length));
      const second = tell(text, JSON.stringify(other), { id: "2", chars: 3 });
      expect(JSON.parse([...first, ...second, text.finish(other)].join(""))).toEqual(other);
    }
  });

  test("streams strings while they grow, and numbers when they are complete", () => {
    const told = tell(new ObjectText(anyKey), '{"a":"xy","b":12,"c":[');
    expect(told.filter((each) => each !== "")).toEqual([
      '{"a":"',
      "x",
      "y",
      '"',
      ',"b":12',
      ',"c":[',
    ]);
  });
});

describe("an object that was not the last", () => {
  const berlin = { name: "Berlin", people: 3.7 };

  test.each([
    ["in a wrapper", '{"output":{"name":"Berlin","people":3.7}}'],
    ["with a key that there is not", '{"name":"Berlin","size":"big","people":1}'],
    ["with a wrong value", '{"name":"Berlin","people":"many"}'],
    ["cut off", '{"name":"Ber'],
  ])("%s: the final text is the right object", (_name, wrong) => {
    const text = new ObjectText(isKey);
    const parts = [...tell(text, wrong), ...tell(text, JSON.stringify(berlin), { id: "2" })];
    expect(JSON.parse([...parts, text.finish(berlin)].join(""))).toEqual(berlin);
    const recovered = new ObjectText(isKey);
    const alone = [...tell(recovered, wrong), recovered.finish(berlin)];
    expect(JSON.parse(alone.join(""))).toEqual(berlin);
  });

  test.each([
    ["with a key that the right one has not", '{"name":"Berlin","people":3}'],
    ["that is no JSON", '{"name":"Ber\nlin","pe'],
  ])("%s cannot become it", (_name, wrong) => {
    const text = new ObjectText(isKey);
    tell(text, wrong);
    expect(text.finish({ name: "Berlin" })).toBeUndefined();
  });
});
