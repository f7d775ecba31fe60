import { signal } from "@preact/signals";
import { h, render } from "preact";
import { Markdown } from "../../../web/src/markdown/markdown.tsx";
import { measure } from "./measure.js";

const shown = signal("");
render(h(Markdown, { text: shown, streaming: true }), document.getElementById("place"));
measure((_, text) => {
  shown.value = text;
});
