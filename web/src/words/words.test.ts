import { NoticeCodeSchema } from "agent-switchboard/wire";
import { afterEach, describe, expect, it } from "vitest";
import { en } from "./en.ts";
import { ja } from "./ja.ts";
import {
  counted,
  countdown,
  language,
  lengthOfTime,
  money,
  t,
  wordFor,
  wordsOfNotice,
} from "./words.ts";

afterEach(() => void (language.value = "en"));

const placesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe("the catalogues", () => {
  it("fill in the same values in every language", () => {
    const different = Object.entries(en).filter(
      ([key, text]) => String(placesIn(text)) !== String(placesIn(ja[key as keyof typeof en])),
    );
    expect(different.map(([key]) => key)).toEqual([]);
  });

  it("leave no text empty", () => {
    const empty = [...Object.entries(en), ...Object.entries(ja)].filter(([, text]) => text === "");
    expect(empty).toEqual([]);
  });
});

describe("t", () => {
  it("speaks the chosen language", () => {
    expect(t("nav.board")).toBe("Board");
    language.value = "ja";
    expect(t("nav.board")).toBe("ボード");
  });

  it("fills in values, and leaves a place without a value as it is", () => {
    expect(t("foot.seq", { seq: 1284 })).toBe("event 1,284");
    expect(t("foot.seq")).toBe("event {seq}");
  });
});

describe("counted", () => {
  it("takes the form of the number", () => {
    expect(counted("foot.openTask", "foot.openTasks", 1)).toBe("1 open task");
    expect(counted("foot.openTask", "foot.openTasks", 3)).toBe("3 open tasks");
  });
});

describe("wordFor", () => {
  it("finds a text by a name on the wire, and none for an unknown one", () => {
    expect(wordFor("state", "ready")).toBe("ready");
    expect(wordFor("state", "constructor")).toBeUndefined();
  });
});

describe("notices", () => {
  it("have words for every code", () => {
    const unknown = NoticeCodeSchema.options.filter(
      (code) => wordFor("notice", code) === undefined,
    );
    expect(unknown).toEqual([]);
  });

  it("of a team are told in Japanese by their code, and in English by themselves", () => {
    expect(wordsOfNotice("agent_quarantined")).toBeUndefined();
    language.value = "ja";
    expect(wordsOfNotice("agent_quarantined")).toContain("隔離");
    expect(wordsOfNotice("disk_full")).toContain("ディスク");
    expect(wordsOfNotice("constructor")).toBeUndefined();
    expect(wordsOfNotice(undefined)).toBeUndefined();
  });
});

describe("numbers", () => {
  it("money shows cents, and more digits below a cent", () => {
    expect([money(0), money(0.0813), money(12.5), money(0.0042)]).toEqual([
      "$0.00",
      "$0.08",
      "$12.50",
      "$0.0042",
    ]);
  });

  it("lengthOfTime takes two units at most", () => {
    expect([4200, 59_000, 252_000, 7_260_000].map(lengthOfTime)).toEqual([
      "4.2 s",
      "59 s",
      "4 min 12 s",
      "2 h 1 min",
    ]);
  });

  it("countdown counts down to 0:00 and never below", () => {
    expect([252_000, 3_600_000, 400, -5].map(countdown)).toEqual([
      "4:12",
      "1:00:00",
      "0:01",
      "0:00",
    ]);
  });
});
