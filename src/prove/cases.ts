import { abortCases } from "./cases/aborts.ts";
import { approvalCases } from "./cases/approvals.ts";
import { goingOnCases } from "./cases/resume-and-clear.ts";
import { messageCases } from "./cases/messages.ts";
import { recoveryCases } from "./cases/recovery.ts";
import { settingCases } from "./cases/settings.ts";
import { subAgentCases } from "./cases/sub-agents.ts";
import { toolCases } from "./cases/tools.ts";
import type { ProofCase } from "./proof-case.ts";

/** Everything that must hold on a CLI, the simplest first. */
export const proofCases: readonly ProofCase[] = [
  ...messageCases,
  ...approvalCases,
  ...abortCases,
  ...toolCases,
  ...settingCases,
  ...subAgentCases,
  ...recoveryCases,
  ...goingOnCases,
];
