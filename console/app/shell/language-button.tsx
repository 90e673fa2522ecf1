import { Languages } from 'lucide-react'
import { MenuButton } from '../../ui/menu-button.tsx'
import { LANGUAGES, type Language, useLanguage, useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { chooseLanguage } from '../language.ts'

const NAMES = { zh: 'languageZh', en: 'languageEn' } as const

export function LanguageButton() {
  const t = useText(appText)
  const language = useLanguage()
  const item = (choice: Language) => ({
    label: t(NAMES[choice]),
    isChecked: choice === language,
    onSelect: () => chooseLanguage(choice),
  })
  return <MenuButton label={t('language')} icon={Languages} items={[LANGUAGES.map(item)]} />
}
