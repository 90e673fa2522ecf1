import { useStatus } from '../../../app/api/status.ts'
import { TimeText } from '../../../app/time/time.tsx'
import { KeyValues } from '../../../ui/data/facts.tsx'
import { useText } from '../../../ui/text/text.ts'
import { CONTENT_KEYS } from '../options/sections.ts'
import { useOptionWords } from '../options/use-option-words.ts'
import { SettingPage } from '../setting-page.tsx'
import { SettingSection } from '../setting-section.tsx'
import { ContentCard } from './content-card.tsx'
import { otherText } from './text.ts'
import { UpdateCheck } from './update-check.tsx'

/** What the installation says of itself, each text saved alone. */
export function OtherTab() {
  const t = useText(otherText)
  const words = useOptionWords()
  const { version, start_time: startedAt } = useStatus()
  const sections = [
    ...CONTENT_KEYS.map(key => ({ id: key, title: words(key).label })),
    { id: 'system', title: t('system') },
  ]
  return (
    <SettingPage sections={sections}>
      {CONTENT_KEYS.map(key => (
        <ContentCard key={key} contentKey={key} />
      ))}
      <SettingSection id="system" title={t('system')}>
        <KeyValues
          items={[
            { label: t('version'), value: version },
            { label: t('started'), value: startedAt > 0 ? <TimeText unixSeconds={startedAt} /> : '' },
          ]}
        />
        <UpdateCheck />
      </SettingSection>
    </SettingPage>
  )
}
