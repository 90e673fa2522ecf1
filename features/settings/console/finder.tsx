import { useNavigate } from '@tanstack/react-router'
import { useOptionText, useSectionText } from '#console/app/settings/option-text.ts'
import type { SettingTab } from '#console/app/settings/search-params.ts'
import {
  CONTENT_KEYS,
  OPERATION_SECTIONS,
  type OptionSection,
  SYSTEM_SECTIONS,
} from '#console/app/settings/sections.ts'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import type { OptionKey } from '#contract/options/system-options.ts'
import { useScreenText } from './text.ts'

/** The finder opens when somebody has asked for it. */
const focusInput = (field: HTMLElement | null) => field?.querySelector('input')?.focus()

/** Finds an option by its label, key or help and opens its tab. */
export function SettingFinder() {
  const t = useScreenText()
  const s = useSectionText()
  const optionText = useOptionText()
  const navigate = useNavigate()
  const tabs = new Map<string, SettingTab>()
  const toOption = (key: OptionKey, tab: SettingTab, section: string) => {
    const { label, help } = optionText(key)
    tabs.set(key, tab)
    return { value: key, label, hint: [`${t(tab)} › ${section}`, help, key].filter(Boolean).join(' · ') }
  }
  const inSections = (sections: readonly OptionSection[], tab: SettingTab) =>
    sections.flatMap(({ id, keys }) => keys.map(key => toOption(key, tab, s(id))))
  const options = [
    ...inSections(OPERATION_SECTIONS, 'operation'),
    ...inSections(SYSTEM_SECTIONS, 'system'),
    ...CONTENT_KEYS.map(key => toOption(key, 'other', optionText(key).label)),
  ]
  const go = (section: string) => {
    const tab = tabs.get(section)
    if (tab) void navigate({ to: '/setting', search: { tab, section } })
  }
  return (
    <div ref={focusInput} className="w-full sm:w-72">
      <Combobox aria-label={t('search')} placeholder={t('search')} options={options} value="" onChange={go} />
    </div>
  )
}
