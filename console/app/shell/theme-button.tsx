import { Monitor, Moon, Sun } from 'lucide-react'
import { MenuButton } from '../../ui/menu-button.tsx'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { chooseTheme, THEME_MODES, type ThemeMode, useThemeMode } from '../theme.ts'

const ICONS = { light: Sun, dark: Moon, system: Monitor } as const
export const THEME_LABELS = { light: 'themeLight', dark: 'themeDark', system: 'themeSystem' } as const

export function ThemeButton() {
  const t = useText(appText)
  const mode = useThemeMode()
  const item = (choice: ThemeMode) => ({
    label: t(THEME_LABELS[choice]),
    icon: ICONS[choice],
    isChecked: choice === mode,
    onSelect: () => chooseTheme(choice),
  })
  return <MenuButton label={t('theme')} icon={ICONS[mode]} items={[THEME_MODES.map(item)]} />
}
