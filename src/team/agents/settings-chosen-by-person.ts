import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { AgentSpec } from "../file/team.ts";
import type { RunSettings } from "../host/agent-host.ts";

/** What a person has set for an agent, and what the team file said then. */
export interface ChosenSettings {
  readonly mode?: { readonly to: PermissionMode; readonly instead_of: PermissionMode };
  readonly model?: { readonly to: string; readonly instead_of: string | null };
}

type FileSettings = Pick<AgentSpec, "permissionMode" | "model">;

/** What is to be kept when a person sets a mode or a model. */
export function chooseSettings(
  before: ChosenSettings | undefined,
  file: FileSettings,
  { mode, model }: RunSettings,
): ChosenSettings {
  return {
    ...before,
    ...(mode !== undefined && { mode: { to: mode, instead_of: file.permissionMode } }),
    ...(model !== undefined && { model: { to: model, instead_of: file.model ?? null } }),
  };
}

/** What the next run of the agent is started with. A team file that was changed since counts more than the person's choice. */
export function settingsToStartWith(
  { mode, model }: ChosenSettings = {},
  file: FileSettings,
): RunSettings {
  return {
    ...(mode && mode.instead_of === file.permissionMode && { mode: mode.to }),
    ...(model && model.instead_of === (file.model ?? null) && { model: model.to }),
  };
}
