import type {
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type { Choices } from "../client/index.ts";
import type { Effort, PermissionMode } from "../wire/session/shared-schemas.ts";

/** What a person can choose in a session, and what is chosen. */
export interface SessionConfig {
  readonly mode: PermissionMode;
  readonly model?: string | undefined;
  /** Null and undefined: the model's own choice. */
  readonly effort?: Effort | null | undefined;
  readonly choices: Choices;
}

const modeNames: Record<PermissionMode, { name: string; description: string }> = {
  default: { name: "Ask", description: "Asks before it changes something" },
  acceptEdits: { name: "Accept edits", description: "Edits files without asking" },
  plan: { name: "Plan", description: "Looks and plans, and changes nothing" },
  auto: { name: "Auto", description: "Claude Code judges what needs your approval" },
  dontAsk: { name: "Do not ask", description: "Denies what is not allowed beforehand" },
  bypassPermissions: { name: "Allow everything", description: "Asks for nothing" },
};

const modesOf = ({ mode, choices: { modes = [] } }: SessionConfig): readonly PermissionMode[] =>
  modes.includes(mode) ? modes : [mode, ...modes];

/** For editors that know modes and no options. */
export const modeState = (config: SessionConfig): SessionModeState => ({
  currentModeId: config.mode,
  availableModes: modesOf(config).map((id) => ({ id, ...modeNames[id] })),
});

/** The choice that stands for the model, which may be named by its alias. */
const chosenModel = ({ model, choices: { models = [] } }: SessionConfig) =>
  models.find(({ id }) => id === model) ??
  models.find((each) => each.model !== undefined && each.model === model);

const NO_EFFORT = "default";

function modelOption(config: SessionConfig): SessionConfigOption[] {
  const { model, choices } = config;
  const { models = [] } = choices;
  const current = chosenModel(config)?.id ?? model ?? models[0]?.id;
  if (current === undefined) return [];
  const listed = models.map(({ id, label, description }): SessionConfigSelectOption => ({
    value: id,
    name: label,
    ...(description !== undefined && { description }),
  }));
  const isListed = models.some(({ id }) => id === current);
  const options = isListed ? listed : [{ value: current, name: current }, ...listed];
  return [
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: current,
      options,
    },
  ];
}

function effortOption(config: SessionConfig): SessionConfigOption[] {
  const efforts = chosenModel(config)?.efforts ?? [];
  if (efforts.length === 0) return [];
  const currentValue = config.effort ?? NO_EFFORT;
  const values = [...new Set([NO_EFFORT, ...efforts, currentValue])];
  const nameOf = (value: string): string =>
    value === NO_EFFORT ? "Default" : `${value.slice(0, 1).toUpperCase()}${value.slice(1)}`;
  return [
    {
      type: "select",
      id: "effort",
      name: "Effort",
      description: "How much the model thinks",
      category: "thought_level",
      currentValue,
      options: values.map((value) => ({ value, name: nameOf(value) })),
    },
  ];
}

/** What the editor shows as menus. */
export function configOptions(config: SessionConfig): SessionConfigOption[] {
  const mode: SessionConfigOption = {
    type: "select",
    id: "mode",
    name: "Mode",
    description: "Which tools run without asking",
    category: "mode",
    currentValue: config.mode,
    options: modesOf(config).map((value) => ({ value, ...modeNames[value] })),
  };
  return [mode, ...modelOption(config), ...effortOption(config)];
}

/** What an editor may set. */
export type ConfigChange =
  | { readonly set: "mode"; readonly mode: PermissionMode }
  | { readonly set: "model"; readonly model: string }
  | { readonly set: "effort"; readonly effort: Effort | null };

/** Undefined when the session offers no such option or value. */
export function configChange(
  config: SessionConfig,
  id: string,
  value: unknown,
): ConfigChange | undefined {
  const option = configOptions(config).find((each) => each.id === id);
  if (option?.type !== "select") return undefined;
  const isOffered = option.options.some((each) => "value" in each && each.value === value);
  if (!isOffered || typeof value !== "string") return undefined;
  if (id === "mode") return { set: "mode", mode: value as PermissionMode };
  if (id === "model") return { set: "model", model: value };
  return { set: "effort", effort: value === NO_EFFORT ? null : (value as Effort) };
}

export function changed(config: SessionConfig, change: ConfigChange): SessionConfig {
  switch (change.set) {
    case "mode":
      return { ...config, mode: change.mode };
    case "model":
      return { ...config, model: change.model };
    default:
      return { ...config, effort: change.effort };
  }
}
