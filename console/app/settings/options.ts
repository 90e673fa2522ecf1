import { useCallback } from 'react'
import type { Option, OptionSection, OptionTab } from '#contract/options/define-option.ts'
import { isOptionKey, type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { useLanguage } from '../../ui/text/text.ts'

const KEYS = Object.keys(systemOptions).filter(isOptionKey)

export const optionOf = (key: OptionKey): Option<unknown> => systemOptions[key]

/** A section of a settings page with its options, in the order of their declarations. */
export interface FilledSection extends OptionSection {
  readonly keys: readonly OptionKey[]
}

const TABS: readonly OptionTab[] = ['operation', 'system', 'other']

/** The sections of all settings pages that have options, page by page from top to bottom. */
export const FILLED_SECTIONS: readonly FilledSection[] = [...Map.groupBy(KEYS, key => optionOf(key).section)]
  .map(([section, keys]) => ({ ...section, keys }))
  .toSorted((a, b) => TABS.indexOf(a.tab) - TABS.indexOf(b.tab) || a.order - b.order)

export const sectionsOf = (tab: OptionTab): readonly FilledSection[] =>
  FILLED_SECTIONS.filter(section => section.tab === tab)

interface OptionWords {
  readonly label: string
  readonly help: string | undefined
}

/** Label and help of an option in the current language. */
export function useOptionText(): (key: OptionKey) => OptionWords {
  const language = useLanguage()
  return useCallback(
    key => {
      const { label, help } = optionOf(key)
      return { label: label[language], help: help?.[language] }
    },
    [language],
  )
}
