import { isComposing } from "./key-press.ts";

/** What makes an element of a picture a button: a click, Enter and the space bar press it. */
export const onPress = (press: () => void) => ({
  onClick: press,
  onKeyDown: (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    if (isComposing(event) || event.repeat) return;
    event.preventDefault();
    press();
  },
});
