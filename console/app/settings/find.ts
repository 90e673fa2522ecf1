import type { OptionKey } from '#contract/options/system-options.ts'
import { currentLanguage } from '../../ui/text/text.ts'
import type { FoundRecord } from '../router/define-screen.ts'
import { currentUser, hasRole } from '../session/session.ts'
import { isOptionTextKey, optionText } from './option-text.ts'
import type { SettingTab } from './search-params.ts'
import { CONTENT_KEYS, OPERATION_SECTIONS, type OptionSection, SYSTEM_SECTIONS } from './sections.ts'

const FOUND_MAX = 5

interface FoundOption {
  readonly key: OptionKey
  readonly tab: SettingTab
}

const inSections = (sections: readonly OptionSection[], tab: SettingTab): readonly FoundOption[] =>
  sections.flatMap(({ keys }) => keys.map(key => ({ key, tab })))

const OPTIONS: readonly FoundOption[] = [
  ...inSections(OPERATION_SECTIONS, 'operation'),
  ...inSections(SYSTEM_SECTIONS, 'system'),
  ...CONTENT_KEYS.map(key => ({ key, tab: 'other' as const })),
]

/** Options whose key, label or help in either language contains the text; only for super administrators. */
export function findOptions(typed: string): readonly FoundRecord[] {
  if (!hasRole(currentUser(), 'root')) return []
  const keyword = typed.toLowerCase()
  const language = currentLanguage()
  return OPTIONS.filter(({ key }) => searchText(key).includes(keyword))
    .slice(0, FOUND_MAX)
    .map(({ key, tab }) => ({
      name: isOptionTextKey(key) ? optionText[language][key] : key,
      detail: key,
      href: `/setting?tab=${tab}&section=${key}`,
    }))
}

function searchText(key: OptionKey): string {
  const words = [key, `${key}Help`].flatMap(word =>
    isOptionTextKey(word) ? [optionText.zh[word], optionText.en[word]] : [],
  )
  return [key, ...words].join('\n').toLowerCase()
}
