import * as z from "zod";
import { StoredTextSchema } from "../blob.ts";
import { closedList } from "../explained-enum.ts";

const lines = z.int().min(0);

const HunkSchema = z
  .object({
    old_start: lines.describe("Number of its first line before the change; 0 if there was none."),
    old_lines: lines,
    new_start: lines.describe("Number of its first line after the change; 0 if there is none."),
    new_lines: lines,
    lines: z
      .array(z.string())
      .describe(
        "As in a unified diff: a line that stays begins with a blank, one that goes with -, one that comes with +, and a note on the line before with \\.",
      ),
  })
  .meta({ id: "Hunk", description: "Lines that change, with up to three lines around them." });
export type Hunk = z.infer<typeof HunkSchema>;

const ChangeKindSchema = closedList({
  add: "The file is new.",
  edit: "The file is there already.",
  delete: "The file goes away.",
});

const ChangeProblemSchema = closedList({
  unreadable: "The host cannot read the file, or it is no ordinary file.",
  binary: "The file is no text in UTF-8 or UTF-16.",
  too_large: "The file or the change is too large to be compared.",
  no_match: "The text to replace is not in the file; the notebook has no such cell.",
  several_matches: "The text to replace is in the file more than once.",
  exists: "The file was to be new, and it has a content already.",
});
export type ChangeProblem = z.infer<typeof ChangeProblemSchema>;

export const FileChangeSchema = z
  .object({
    path: z
      .string()
      .min(1)
      .describe("Of the file; of a result as Claude Code names it, which may not be absolute."),
    kind: ChangeKindSchema,
    cell: z
      .object({
        id: z.string().optional(),
        edit: z.enum(["replace", "insert", "delete"]),
      })
      .optional()
      .describe("Of a notebook: the cell. The hunks are of its source."),
    problem: ChangeProblemSchema.optional().describe("Why there are no hunks."),
    added: lines.optional().describe("Number of lines that come, of the whole change."),
    removed: lines.optional().describe("Number of lines that go, of the whole change."),
    hunks: z.array(HunkSchema).optional(),
    truncated: z.boolean().optional().describe("Hunks are missing here; patch has all of them."),
    patch: StoredTextSchema.optional().describe(
      "If hunks are missing: the whole change, as the text of a unified diff.",
    ),
  })
  .meta({ id: "FileChange", description: "What a call changes in one file." });
export type FileChange = z.infer<typeof FileChangeSchema>;
