import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { newWords, openingOf } from "./read-prompt.ts";

const user = (...words: string[]): LanguageModelV4Prompt[number] => ({
  role: "user",
  content: words.map((text) => ({ type: "text", text })),
});
const call = { toolCallId: "toolu_1", toolName: "look" } as const;
const story: LanguageModelV4Prompt = [
  { role: "system", content: "Be brief." },
  user("Look."),
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "A moment." },
      { type: "tool-call", ...call, input: { at: "it".repeat(2_000) } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        ...call,
        output: { type: "json", value: { seen: "a ".repeat(9_000) } },
      },
    ],
  },
];

describe("a new session", () => {
  test("is begun with a plain text as it is", () => {
    expect(openingOf([user("Go.")])).toEqual({ system: undefined, content: "Go." });
  });

  test("gets everything that was said before, uncut, and is asked to continue", () => {
    const { system, content } = openingOf(story);
    expect(system).toBe("Be brief.");
    const told = JSON.stringify(content);
    for (const words of ["Look.", "A moment.", "it".repeat(2_000), "a ".repeat(9_000)]) {
      expect(told).toContain(words);
    }
    expect(told).toContain("Go on from the end");
    expect(told).not.toContain("Hm.");
  });

  test("that is resumed gets only the new messages", () => {
    const said: LanguageModelV4Prompt = [...story, { role: "assistant", content: [] }];
    expect(openingOf([...said, user("And now?")], true).content).toBe("And now?");
    expect(newWords([...story, user("And", "now?")])).toEqual([
      { type: "text", text: "And" },
      { type: "text", text: "now?" },
    ]);
    expect(newWords(story)).toEqual([]);
  });

  test("that is resumed gets the results of the last answer's calls, with the calls", () => {
    const before = [user("Hello."), { role: "assistant", content: [] }] as LanguageModelV4Prompt;
    for (const more of [[], [user("And now?")]]) {
      const told = JSON.stringify(openingOf([...before, ...story, ...more], true).content);
      for (const words of ["[called look, toolu_1", "a ".repeat(9_000)])
        expect(told).toContain(words);
      expect(told).toContain(more.length > 0 ? "And now?" : "Go on from the end");
      for (const words of ["Hello.", "Look."]) expect(told).not.toContain(words);
    }
  });
});

const shown = (mediaType: string, data: Uint8Array | string | URL, filename?: string): unknown => {
  const source =
    data instanceof URL ? ({ type: "url", url: data } as const) : ({ type: "data", data } as const);
  const file = { type: "file", mediaType, data: source, ...(filename && { filename }) } as const;
  return openingOf([{ role: "user", content: [file] }]).content;
};

describe("a file", () => {
  test.each([
    ["image/gif", "R0lGOD", "image/gif"],
    ["image/*", "/9j/AAAA", "image/jpeg"],
    ["image", "UklGRAAA", "image/webp"],
    ["image/*", "AAAA", "image/png"],
  ])("of type %s is passed as what its bytes are", (mediaType, data, media_type) => {
    expect(shown(mediaType, data)).toEqual([
      { type: "image", source: { type: "base64", media_type, data } },
    ]);
  });

  test("is passed as a document where it is one", () => {
    expect(shown("application/pdf", new Uint8Array([1]), "a.pdf")).toMatchObject([
      { type: "document", title: "a.pdf", source: { media_type: "application/pdf", data: "AQ==" } },
    ]);
    expect(shown("text/csv", Buffer.from("a;ü"))).toMatchObject([
      { type: "document", source: { type: "text", data: "a;ü" } },
    ]);
    expect(shown("image/png", new URL("https://x.test/a.png"))).toMatchObject([
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
    ]);
  });

  test("that Claude Code cannot see is refused, but described where a tool returned it", () => {
    expect(() => shown("audio/wav", "AAAA")).toThrow("cannot be shown a file of type audio/wav");
    const file = { type: "file", mediaType: "audio/wav", filename: "a.wav" } as const;
    const value = [{ ...file, data: { type: "data", data: "AAAA" } } as const];
    const result = { type: "tool-result", ...call, output: { type: "content", value } } as const;
    const { content } = openingOf([user("Go."), { role: "tool", content: [result] }]);
    expect(JSON.stringify(content)).toContain(
      "[A file a.wav of type audio/wav cannot be shown here.]",
    );
  });
});
