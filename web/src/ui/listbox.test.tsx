// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test, vi } from "vitest";
import { ListboxOptions, useListbox } from "./listbox.tsx";

const words = ["alpha", "beta", "gamma"];

function stage() {
  const onChoose = vi.fn<(index: number) => void>();
  const onClose = vi.fn<() => void>();
  function Field() {
    const listbox = useListbox({ count: words.length, isOpen: true, query: "", onChoose, onClose });
    return (
      <>
        <input {...listbox.fieldProps} onKeyDown={(event) => void listbox.takesKey(event)} />
        <ListboxOptions listbox={listbox} label="Words">
          {(index) => words[index]}
        </ListboxOptions>
      </>
    );
  }
  document.body.replaceChildren();
  void act(() => render(<Field />, document.body));
  const field = document.querySelector("input")!;
  return {
    onChoose,
    onClose,
    field,
    press: (key: string, init: KeyboardEventInit = {}) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
      void act(() => void field.dispatchEvent(event));
      return event;
    },
    active: () => document.getElementById(field.getAttribute("aria-activedescendant") ?? ""),
  };
}

test("a listbox moves by arrows, around its ends too, and tells the field's reader the active option", () => {
  const { press, active, field } = stage();
  expect(field.getAttribute("aria-expanded")).toBe("true");
  expect(active()?.textContent).toBe("alpha");
  press("ArrowDown");
  expect(active()?.textContent).toBe("beta");
  expect(active()?.getAttribute("aria-selected")).toBe("true");
  press("ArrowUp");
  press("ArrowUp");
  expect(active()?.textContent).toBe("gamma");
});

test("a listbox chooses by Enter, Tab and click, and closes by Escape", () => {
  const { press, onChoose, onClose } = stage();
  press("ArrowDown");
  expect(press("Enter").defaultPrevented).toBe(true);
  press("Tab");
  expect(onChoose.mock.calls).toEqual([[1], [1]]);
  void act(() => document.querySelectorAll<HTMLElement>("[role=option]")[2]?.click());
  expect(onChoose).toHaveBeenLastCalledWith(2);
  press("Escape");
  expect(onClose).toHaveBeenCalledOnce();
});

test("a listbox leaves letters, Shift+Enter and the keys of an input method to the field", () => {
  const { press, onChoose } = stage();
  expect(press("a").defaultPrevented).toBe(false);
  expect(press("Enter", { shiftKey: true }).defaultPrevented).toBe(false);
  expect(press("Enter", { isComposing: true }).defaultPrevented).toBe(false);
  expect(press("ArrowDown", { keyCode: 229 }).defaultPrevented).toBe(false);
  expect(onChoose).not.toHaveBeenCalled();
});
