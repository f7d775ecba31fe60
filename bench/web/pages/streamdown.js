import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Streamdown } from "streamdown";
import { measure } from "./measure.js";

const root = createRoot(document.getElementById("place"));
measure((_, text) => {
  flushSync(() => root.render(createElement(Streamdown, null, text)));
});
