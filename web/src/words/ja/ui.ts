import type { enUi } from "../en/ui.ts";

export const jaUi: Record<keyof typeof enUi, string> = { "ui.close": "閉じる" };
