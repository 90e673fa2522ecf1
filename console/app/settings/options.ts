import { useCallback } from 'react'
import type { OptionSection, Options, OptionTab } from '#contract/options/define-option.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { useLanguage } from '../../ui/text/text.ts'

const features = import.meta.glob<{ readonly options: Options }>('../../../features/*/options.ts', {
  eager: true,
})

/** Every option by its name: those of the base, then those of features. */
export const OPTIONS: Options = Object.assign(
  {},
  systemOptions,
  ...Object.values(features).map(({ options }) => options),
)

export function optionOf(key: string): Options[string] {
  const option = OPTIONS[key]
  if (!option) throw new Error(`there is no option ${key}`)
  return option
}

/** A section of a settings page with its options, in the order of their declarations. */
export interface FilledSection extends OptionSection {
  readonly keys: readonly string[]
}

const TABS: readonly OptionTab[] = ['operation', 'system', 'other']

const orderOf = (key: string): number => optionOf(key).order ?? 0

/** The sections of all settings pages that have options, page by page from top to bottom. */
export const FILLED_SECTIONS: readonly FilledSection[] = [
  ...Map.groupBy(Object.keys(OPTIONS), key => optionOf(key).section),
]
  .map(([section, keys]) => ({ ...section, keys: keys.toSorted((a, b) => orderOf(a) - orderOf(b)) }))
  .toSorted((a, b) => TABS.indexOf(a.tab) - TABS.indexOf(b.tab) || a.order - b.order)

export const sectionsOf = (tab: OptionTab): readonly FilledSection[] =>
  FILLED_SECTIONS.filter(section => section.tab === tab)

interface OptionWords {
  readonly label: string
  readonly help: string | undefined
}

/** Label and help of an option in the current language. */
export function useOptionText(): (key: string) => OptionWords {
  const language = useLanguage()
  return useCallback(
    key => {
      const { label, help } = optionOf(key)
      return { label: label[language], help: help?.[language] }
    },
    [language],
  )
}
