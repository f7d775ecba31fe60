import { jaApp } from "./ja/app.ts";
import { jaBoard } from "./ja/board.ts";
import { jaCalls } from "./ja/calls.ts";
import { jaMail } from "./ja/mail.ts";
import { jaPapers } from "./ja/papers.ts";
import { jaSettings } from "./ja/settings.ts";
import { jaSheets } from "./ja/sheets.ts";
import { jaTalk } from "./ja/talk.ts";
import { jaTeam } from "./ja/team.ts";
import { jaText } from "./ja/text.ts";
import { jaTools } from "./ja/tools.ts";
import { jaUi } from "./ja/ui.ts";
import type { Catalogue } from "./words.ts";

export const ja: Catalogue = {
  ...jaApp,
  ...jaBoard,
  ...jaCalls,
  ...jaMail,
  ...jaPapers,
  ...jaSettings,
  ...jaSheets,
  ...jaTalk,
  ...jaTeam,
  ...jaText,
  ...jaTools,
  ...jaUi,
};
