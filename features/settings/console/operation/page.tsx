import { Suspense } from 'react'
import { filledSlots } from '#console/app/filled-slots.ts'
import { OptionFields } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { SettingSection, TabLayout } from '#console/app/settings/layout.tsx'
import { useSectionText } from '#console/app/settings/option-text.ts'
import {
  OPERATION_SECTIONS,
  type OptionSection,
  type OptionSectionId,
} from '#console/app/settings/sections.ts'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { LogCleanup } from './log-clearing.tsx'
import { useOperationText } from './text.ts'

const chats = lazyPart(async () => (await import('./chats-editor.tsx')).ChatsEditor)

/** The editors of sections that features add. */
const editors = filledSlots('settingsSections').flatMap(slot =>
  slot.kind === 'editor' ? [{ ...slot, ...lazyPart(slot.load) }] : [],
)

const HELP = { general: 'generalHelp', sensitive: 'sensitiveHelp', chats: 'chatsHelp' } as const

const hasHelp = (id: OptionSectionId): id is keyof typeof HELP => Object.hasOwn(HELP, id)

export function OperationTab() {
  const s = useSectionText()
  return (
    <TabLayout sections={OPERATION_SECTIONS.map(({ id }) => ({ id, title: s(id) }))}>
      {OPERATION_SECTIONS.map(section => (
        <OperationSection key={section.id} section={section} />
      ))}
    </TabLayout>
  )
}

function OperationSection({ section: { id, keys } }: { readonly section: OptionSection }) {
  const s = useSectionText()
  const t = useOperationText()
  const language = useLanguage()
  const editor = editors.find(({ section }) => section === id)
  const Editor = id === 'chats' ? chats.Part : editor?.Part
  const help = hasHelp(id) ? t(HELP[id]) : editor?.help[language]
  return (
    <SettingSection id={id} title={s(id)} help={help}>
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
function Warnings({ id }: { readonly id: OptionSectionId }) {
  const t = useOperationText()
  const { edits, currentValue } = useOptionForm()
  if (id === 'general' && edits.some(({ key }) => key === 'QuotaPerUnit'))
    return <Banner tone="warning">{t('quotaWarning')}</Banner>
  if (id === 'drawing' && currentValue('MjNotifyEnabled') === 'true')
    return <Banner tone="warning">{t('notifyWarning')}</Banner>
  return null
}
