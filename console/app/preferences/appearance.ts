import { createStore, useStore } from '../../ui/store.ts'
import { changeLanguage, type Language } from '../../ui/text/text.ts'
import { readStored, writeStored } from './local-store.ts'

export type ThemeMode = 'light' | 'dark' | 'system'
export const THEME_MODES: readonly ThemeMode[] = ['light', 'dark', 'system']

const PREFERS_DARK = '(prefers-color-scheme: dark)'

const storedMode = (): ThemeMode => {
  const stored = readStored('theme-mode')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const mode = createStore<ThemeMode>(storedMode())

export const useThemeMode = (): ThemeMode => useStore(mode)

/** Applies and stores the theme. The boot script reads the same key before the first paint. */
export function chooseTheme(next: ThemeMode): void {
  writeStored('theme-mode', next)
  mode.set(next)
  draw()
}

/** The theme that the page shows now. */
export const currentTheme = (): 'light' | 'dark' =>
  document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'

export const nextTheme = (): ThemeMode =>
  document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'

export function followSystemTheme(): void {
  draw()
  matchMedia(PREFERS_DARK).addEventListener('change', draw)
}

function draw(): void {
  const isDark = mode.get() === 'dark' || (mode.get() === 'system' && matchMedia(PREFERS_DARK).matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

/** The stored language. Older consoles stored it under `i18nextLng`. Default: Chinese. */
export function storedLanguage(): Language {
  const stored = readStored('language') ?? readStored('i18nextLng') ?? 'zh'
  return stored.startsWith('en') ? 'en' : 'zh'
}

/** Switches the language without a reload and stores the choice. */
export function chooseLanguage(language: Language): void {
  writeStored('language', language)
  changeLanguage(language)
}
