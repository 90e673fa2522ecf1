import { PageHeader } from '../ui/text/page-header.tsx'
import { KitButtons, KitFields } from './controls.tsx'
import { KitMessages, KitStates } from './feedback.tsx'
import { useScreenText } from './text.ts'

/** Small components of the UI kit in every state, for visual checks in both themes and languages. Every list shows the table. */
export function KitPage() {
  const t = useScreenText()
  return (
    <div className="mx-auto grid max-w-260 grid-cols-1 gap-8">
      <div>
        <PageHeader title={t('title')} />
        <p className="text-muted">{t('intro')}</p>
      </div>
      <KitButtons />
      <KitFields />
      <KitStates />
      <KitMessages />
    </div>
  )
}
