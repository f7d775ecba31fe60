import { enApp } from "./en/app.ts";
import { enBoard } from "./en/board.ts";
import { enCalls } from "./en/calls.ts";
import { enMail } from "./en/mail.ts";
import { enPapers } from "./en/papers.ts";
import { enSettings } from "./en/settings.ts";
import { enSheets } from "./en/sheets.ts";
import { enTalk } from "./en/talk.ts";
import { enTeam } from "./en/team.ts";
import { enText } from "./en/text.ts";
import { enTools } from "./en/tools.ts";
import { enUi } from "./en/ui.ts";

/** All texts of the page in English: a part for each folder, so that a text is found beside its like. */
export const en = {
  ...enApp,
  ...enBoard,
  ...enCalls,
  ...enMail,
  ...enPapers,
  ...enSettings,
  ...enSheets,
  ...enTalk,
  ...enTeam,
  ...enText,
  ...enTools,
  ...enUi,
} as const;
