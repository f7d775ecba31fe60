import { jaApp } from "./ja/app.ts";
import type { Catalogue } from "./words.ts";

export const ja: Catalogue = { ...jaApp };
