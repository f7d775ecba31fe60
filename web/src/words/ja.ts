import { jaApp } from "./ja/app.ts";
import { jaUi } from "./ja/ui.ts";
import type { Catalogue } from "./words.ts";

export const ja: Catalogue = { ...jaApp, ...jaUi };
