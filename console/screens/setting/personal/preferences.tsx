import { chooseLanguage } from '../../../app/preferences/language.ts'
import { toggleMask, useIsMasked } from '../../../app/preferences/privacy.tsx'
import { setSingleKeys, useSingleKeys } from '../../../app/shell/shortcuts.ts'
import { chooseTheme, THEME_MODES, useThemeMode } from '../../../app/preferences/theme.ts'
import { chooseTimeFormat, TIME_FORMATS, useTimeFormat } from '../../../app/time/time.tsx'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { Switch } from '../../../ui/forms/checkbox.tsx'
import { LANGUAGES, useLanguage, useText } from '../../../ui/text/text.ts'
import { personalText } from './text.ts'

const LANGUAGE_NAMES = { zh: 'languageZh', en: 'languageEn' } as const

/** What this browser keeps for this reader. */
export function Preferences() {
  const t = useText(personalText)
  const theme = useThemeMode()
  const language = useLanguage()
  const timeFormat = useTimeFormat()
  const isMasked = useIsMasked()
  const hasSingleKeys = useSingleKeys()
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <SegmentedChoice
          label={t('theme')}
          value={theme}
          options={THEME_MODES.map(value => ({ value, label: t(value) }))}
          onChange={chooseTheme}
        />
        <SegmentedChoice
          label={t('language')}
          value={language}
          options={LANGUAGES.map(value => ({ value, label: t(LANGUAGE_NAMES[value]), lang: value }))}
          onChange={chooseLanguage}
        />
        <SegmentedChoice
          label={t('timeFormat')}
          value={timeFormat}
          options={TIME_FORMATS.map(value => ({ value, label: t(value) }))}
          onChange={chooseTimeFormat}
        />
      </div>
      <Switch label={t('mask')} help={t('maskHelp')} checked={isMasked} onChange={toggleMask} />
      <Switch
        label={t('singleKeys')}
        help={t('singleKeysHelp')}
        checked={hasSingleKeys}
        onChange={event => setSingleKeys(event.target.checked)}
      />
    </>
  )
}
