// First of all: without it the first schema asks for `eval`, which the Content-Security-Policy refuses.
import "./zod-without-eval.ts";
import "./look/base.css";
import { h, render } from "preact";
import { Page } from "./app/page.tsx";
import { applyPreferences } from "./state/preferences.ts";

applyPreferences();
const root = document.getElementById("page");
if (root) render(h(Page, {}), root);
