// @vitest-environment happy-dom
import type { FileChange } from "agent-switchboard/wire";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hunksOfPatch, rowsOfHunks } from "./diff-rows.ts";
import { diffTexts } from "./diff-texts.ts";
import { DiffView, TextDiffView } from "./diff-view.tsx";
import { checkedUrl } from "./start-worker.ts";

const place = document.createElement("div");
document.body.append(place);
afterEach(() => render(null, place));

const change: FileChange = {
  path: "src/greet.mjs",
  kind: "edit",
  added: 1,
  removed: 1,
  hunks: [
    {
      old_start: 3,
      old_lines: 2,
      new_start: 3,
      new_lines: 2,
      lines: [" keep", "-old\u202e", "+new"],
    },
    {
      old_start: 9,
      old_lines: 0,
      new_start: 10,
      new_lines: 1,
      lines: ["+end", "\\ No newline at end of file"],
    },
  ],
};
const many = (count: number): FileChange => {
  const lines = Array.from({ length: count }, (_, n) => `+line ${n}`);
  return {
    path: "a",
    kind: "add",
    hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: count, lines }],
  };
};
const rowTexts = (): string[] =>
  [...place.querySelectorAll("[class*=row]:not([class*=rows])")].map((row) => row.textContent);

describe("rowsOfHunks", () => {
  it("numbers the lines of both sides, and says where lines are left out", () => {
    expect(rowsOfHunks(change.hunks ?? [])).toEqual([
      { is: "gap" },
      { is: "same", old: 3, new: 3, text: "keep" },
      { is: "del", old: 4, text: "old\u202e" },
      { is: "add", new: 4, text: "new" },
      { is: "gap" },
      { is: "add", new: 10, text: "end" },
      { is: "note", text: "No newline at end of file" },
    ]);
  });

  it("reads the text of a unified diff, whose lines may look like heads", () => {
    const patch =
      "--- a\n+++ b\n@@ -1,2 +1 @@\n--- x\n+++ y\n-z\n@@ -9 +8,0 @@\n-@@ -1 +1 @@\n\\ No newline at end of file\n";
    expect(hunksOfPatch(patch)).toEqual([
      { old_start: 1, old_lines: 2, new_start: 1, new_lines: 1, lines: ["--- x", "+++ y", "-z"] },
      {
        old_start: 9,
        old_lines: 1,
        new_start: 8,
        new_lines: 0,
        lines: ["-@@ -1 +1 @@", "\\ No newline at end of file"],
      },
    ]);
  });
});

describe("DiffView", () => {
  it("shows the lines with their numbers and signs, and what is hidden in them", async () => {
    await act(() => render(<DiffView change={change} />, place));
    expect(place.querySelector("header")?.textContent).toBe("src/greet.mjs+1\u22121");
    expect(rowTexts()).toEqual([
      "33 keep",
      "4\u2212oldU+202E",
      "4+new",
      "10+end",
      "No newline at end of file",
    ]);
  });

  it("has no lines while it is closed", async () => {
    await act(() => render(<DiffView change={change} open={false} />, place));
    expect(rowTexts()).toEqual([]);
  });

  it("says why there are no lines", async () => {
    await act(() =>
      render(<DiffView change={{ path: "a", kind: "edit", problem: "binary" }} />, place),
    );
    expect(place.textContent).toContain("The file is not text.");
  });

  it("draws the rows that are seen of more than 400", async () => {
    await act(() => render(<DiffView change={many(400)} />, place));
    expect(rowTexts()).toHaveLength(400);
    await act(() => render(<DiffView change={many(401)} />, place));
    expect(rowTexts().length).toBeLessThan(120);
    const box = place.querySelector<HTMLElement>("[class*=windowed]")!;
    box.scrollTop = 300 * 20;
    await act(() => void box.dispatchEvent(new Event("scroll")));
    expect(rowTexts()).toContain("301+line 300");
    expect(rowTexts()).not.toContain("1+line 0");
  });

  it("shows more than 5,000 rows only when it is asked to", async () => {
    await act(() => render(<DiffView change={many(5_001)} />, place));
    expect(rowTexts()).toHaveLength(400);
    const button = place.querySelector("button")!;
    expect(button.textContent).toBe("Show all 5,001 lines");
    await act(() => button.click());
    expect(rowTexts().length).toBeLessThan(120);
  });

  it("fetches the whole of a change that is too long", async () => {
    const part: FileChange = {
      ...change,
      truncated: true,
      patch: { blob: "b_1", bytes: 9, preview: "" },
    };
    const loadPatch = vi.fn<() => Promise<string>>(() => Promise.resolve("@@ -1 +1 @@\n-a\n+b\n"));
    await act(() => render(<DiffView change={part} loadPatch={loadPatch} />, place));
    expect(place.textContent).toContain("This is a part of the change.");
    await act(() => place.querySelector("button")!.click());
    await vi.waitFor(() => expect(rowTexts()).toEqual(["1\u2212a", "1+b"]));
  });
});

describe("TextDiffView", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("compares short texts at once, and without a worker", async () => {
    await act(() => render(<TextDiffView path="a" before={"x\ny\n"} after={"x\nz\n"} />, place));
    await vi.waitFor(() => expect(rowTexts()).toEqual(["11 x", "2\u2212y", "2+z"]));
  });

  it("compares long texts in a worker, and none while it is closed", async () => {
    const jobs: unknown[] = [];
    class FakeWorker extends EventTarget {
      postMessage(job: { before: string; after: string }): void {
        jobs.push(job);
        this.dispatchEvent(
          new MessageEvent("message", { data: diffTexts(job.before, job.after, 1_000) }),
        );
      }
      terminate(): void {}
    }
    vi.stubGlobal("Worker", FakeWorker);
    const before = "a\n".repeat(201);
    await act(() =>
      render(<TextDiffView path="a" before={before} after="b" open={false} />, place),
    );
    expect(jobs).toHaveLength(0);
    await act(() =>
      render(<TextDiffView path="a" before={before} after={`${before}b\n`} />, place),
    );
    await vi.waitFor(() => expect(rowTexts().at(-1)).toBe("202+b"));
    expect(jobs).toHaveLength(1);
  });
});

describe("diffTexts", () => {
  it("shows all as gone and come when there is no time to compare", () => {
    expect(diffTexts("a\nb\n", "c\n", -1)).toEqual([
      { old_start: 1, old_lines: 2, new_start: 1, new_lines: 1, lines: ["-a", "-b", "+c"] },
    ]);
  });
});

describe("checkedUrl", () => {
  it.each([
    "https://evil.example/a.worker.js",
    "data:text/javascript,1",
    "/assets/entry.js",
    "//evil.example/x.worker.js",
  ])("refuses %s as a worker", (url) => {
    expect(() => checkedUrl(url)).toThrow("is no worker of this page");
  });
});
