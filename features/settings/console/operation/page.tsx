import { Suspense } from 'react'
import { filledSlots } from '#console/app/filled-slots.ts'
import { OptionFields } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { type FilledSection, sectionsOf } from '#console/app/settings/options.ts'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { SettingSection, TabLayout } from '../layout.tsx'
import { LogCleanup } from './log-clearing.tsx'
import { useOperationText } from './text.ts'

const chats = lazyPart(async () => (await import('./chats-editor.tsx')).ChatsEditor)

/** The editors of sections that features add. */
const editors = filledSlots('settingsSections').flatMap(slot =>
  slot.kind === 'editor' ? [{ ...slot, ...lazyPart(slot.load) }] : [],
)

const SECTIONS = sectionsOf('operation')

export function OperationTab() {
  const language = useLanguage()
  return (
    <TabLayout sections={SECTIONS.map(({ id, title }) => ({ id, title: title[language] }))}>
      {SECTIONS.map(section => (
        <OperationSection key={section.id} section={section} />
      ))}
    </TabLayout>
  )
}

function OperationSection({ section: { id, title, help, keys } }: { readonly section: FilledSection }) {
  const language = useLanguage()
  const Editor = id === 'chats' ? chats.Part : editors.find(({ section }) => section === id)?.Part
  return (
    <SettingSection id={id} title={title[language]} help={help?.[language]}>
      <Warnings id={id} />
      {Editor ? (
        <Suspense fallback={<Skeleton className="h-48 w-full" />}>
          <Editor />
        </Suspense>
      ) : (
        <OptionFields keys={keys} />
      )}
      {id === 'logs' && <LogCleanup />}
    </SettingSection>
  )
}

/** Consequences of unsaved edits. */
function Warnings({ id }: { readonly id: string }) {
  const t = useOperationText()
  const { edits, currentValue } = useOptionForm()
  if (id === 'general' && edits.some(({ key }) => key === 'QuotaPerUnit'))
    return <Banner tone="warning">{t('quotaWarning')}</Banner>
  if (id === 'drawing' && currentValue('MjNotifyEnabled') === 'true')
    return <Banner tone="warning">{t('notifyWarning')}</Banner>
  return null
}
