// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CodeBlock } from "./code-block.tsx";

const place = document.createElement("div");
document.body.append(place);
afterEach(() => {
  render(null, place);
  vi.unstubAllGlobals();
});

const code = 'const a = "text"; // why\u202e\n';
const draw = (language: string, open = false): Promise<void> =>
  act(() => render(<CodeBlock texts={[code]} language={language} open={open} />, place));
const marks = (): (string | null)[] =>
  [...place.querySelectorAll("pre span[class]")].map((node) => node.textContent);

describe("CodeBlock", () => {
  it("colours a code that is closed, when there is time, and keeps what is hidden visible", async () => {
    await draw("ts");
    expect(marks()).toEqual([]);
    await vi.waitFor(() => expect(marks()).toEqual(["const", '"text"', "// whyU+202E"]));
    expect(place.querySelector("pre")?.textContent).toBe(code.replace("\u202e", "U+202E"));
  });

  it.each([
    ["a code that is open", "ts", true],
    ["a language that it does not know", "nosuch", false],
    ["no language", "", false],
  ])("leaves %s without colours", async (_, language, open) => {
    const block = <CodeBlock texts={[code]} language={language} open={open} />;
    await act(() =>
      render(
        <>
          {block}
          <CodeBlock texts={[code]} language="ts" />
        </>,
        place,
      ),
    );
    const [first, second] = place.querySelectorAll("pre");
    // The other one comes later: when it has its colours, the first would have had them too.
    await vi.waitFor(() => expect(second?.querySelectorAll("span[class]")).toHaveLength(3));
    expect(first?.querySelectorAll("span[class]")).toHaveLength(0);
    expect(place.textContent).toContain("const a");
  });

  it("copies the code as it is", async () => {
    const writeText = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    await draw("ts");
    await act(() => place.querySelector("button")!.click());
    await vi.waitFor(() => expect(place.querySelector("button")?.textContent).toBe("Copied"));
    expect(writeText).toHaveBeenCalledExactlyOnceWith(code);
  });

  it("copies where there is no clipboard too, and says so when it could not", async () => {
    vi.stubGlobal("navigator", {});
    const copied: unknown[] = [];
    const results = [true, false];
    vi.stubGlobal(
      "document",
      new Proxy(document, {
        get: (target, name) => {
          if (name === "execCommand") {
            return () => {
              copied.push(document.querySelector("textarea")?.value);
              return results.shift();
            };
          }
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
    );
    await draw("ts");
    await act(() => place.querySelector("button")!.click());
    await vi.waitFor(() => expect(place.querySelector("button")?.textContent).toBe("Copied"));
    await act(() => place.querySelector("button")!.click());
    await vi.waitFor(() => expect(place.querySelector("button")?.textContent).toBe("Not copied"));
    expect(copied).toEqual([code, code]);
    expect(document.querySelector("textarea")).toBeNull();
  });
});
