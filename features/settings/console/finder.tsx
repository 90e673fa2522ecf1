import { useNavigate } from '@tanstack/react-router'
import { FILLED_SECTIONS, useOptionText } from '#console/app/settings/options.ts'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { useScreenText } from './text.ts'

/** The finder opens when somebody has asked for it. */
const focusInput = (field: HTMLElement | null) => field?.querySelector('input')?.focus()

/** Finds an option by its label, key or help and opens its tab. */
export function SettingFinder() {
  const t = useScreenText()
  const language = useLanguage()
  const optionText = useOptionText()
  const navigate = useNavigate()
  const options = FILLED_SECTIONS.flatMap(({ tab, title, keys }) =>
    keys.map(key => {
      const { label, help } = optionText(key)
      // On the Other tab every option is a section of its own.
      const section = tab === 'other' ? label : title[language]
      const hint = [`${t(tab)} › ${section}`, help, key].filter(Boolean).join(' · ')
      return { value: key, label, hint, tab }
    }),
  )
  const go = (section: string) => {
    const found = options.find(({ value }) => value === section)
    if (found) void navigate({ to: '/setting', search: { tab: found.tab, section } })
  }
  return (
    <div ref={focusInput} className="w-48 sm:w-72">
      <Combobox aria-label={t('search')} placeholder={t('search')} options={options} value="" onChange={go} />
    </div>
  )
}
