import { Languages, Monitor, Moon, Sun } from 'lucide-react'
import { MenuButton } from '../../ui/buttons/popup-buttons.tsx'
import { LANGUAGES, type Language, useLanguage } from '../../ui/text/text.ts'
import { useAppText } from '../app-text.ts'
import { chooseLanguage } from '../preferences/language.ts'
import { chooseTheme, THEME_MODES, type ThemeMode, useThemeMode } from '../preferences/theme.ts'

const ICONS = { light: Sun, dark: Moon, system: Monitor } as const
export const THEME_LABELS = { light: 'themeLight', dark: 'themeDark', system: 'themeSystem' } as const

export function ThemeButton() {
  const t = useAppText()
  const mode = useThemeMode()
  const item = (choice: ThemeMode) => ({
    label: t(THEME_LABELS[choice]),
    icon: ICONS[choice],
    isChecked: choice === mode,
    onSelect: () => chooseTheme(choice),
  })
  return <MenuButton label={t('theme')} icon={ICONS[mode]} items={[THEME_MODES.map(item)]} />
}

const NAMES = { zh: 'languageZh', en: 'languageEn' } as const

export function LanguageButton() {
  const t = useAppText()
  const language = useLanguage()
  const item = (choice: Language) => ({
    label: t(NAMES[choice]),
    isChecked: choice === language,
    onSelect: () => chooseLanguage(choice),
  })
  return <MenuButton label={t('language')} icon={Languages} items={[LANGUAGES.map(item)]} />
}
