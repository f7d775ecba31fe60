export const enUi = { "ui.close": "Close" } as const;
