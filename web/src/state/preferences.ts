import { effect, signal } from "@preact/signals";
import type { Language } from "../words/words.ts";
import { language, languages } from "../words/words.ts";

export type Theme = "system" | "light" | "dark";
export type Density = "regular" | "compact";
export type SendKey = "enter" | "ctrl-enter";

const KEPT = "switchboard.preferences";

interface Kept {
  theme?: Theme;
  density?: Density;
  sendKey?: SendKey;
  language?: Language;
  sounds?: boolean;
  notifications?: boolean;
}

const kept = readKept();

/** The person's own settings. They stay in this browser. */
export const theme = signal<Theme>(kept.theme ?? "system");
export const density = signal<Density>(kept.density ?? "regular");
export const sendKey = signal<SendKey>(kept.sendKey ?? "enter");
export const sounds = signal(kept.sounds ?? false);
export const notifications = signal(kept.notifications ?? false);

/** Applies the settings to the document, now and when they change, and keeps them. */
export function applyPreferences(): void {
  language.value = kept.language ?? preferredLanguage();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const systemIsDark = signal(dark.matches);
  dark.addEventListener("change", () => (systemIsDark.value = dark.matches));
  effect(() => {
    const isDark = theme.value === "system" ? systemIsDark.value : theme.value === "dark";
    const { dataset } = document.documentElement;
    dataset["theme"] = isDark ? "dark" : "light";
    dataset["density"] = density.value;
    document.documentElement.lang = language.value;
  });
  effect(() => {
    const now: Kept = {
      theme: theme.value,
      density: density.value,
      sendKey: sendKey.value,
      language: language.value,
      sounds: sounds.value,
      notifications: notifications.value,
    };
    localStorage.setItem(KEPT, JSON.stringify(now));
  });
}

function readKept(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

const preferredLanguage = (): Language =>
  languages.find((each) => navigator.languages.some((wanted) => wanted.startsWith(each))) ?? "en";
