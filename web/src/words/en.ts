import { enApp } from "./en/app.ts";
import { enCalls } from "./en/calls.ts";
import { enUi } from "./en/ui.ts";

/** All texts of the page in English: a part for each folder, so that a text is found beside its like. */
export const en = { ...enApp, ...enCalls, ...enUi } as const;
