import { CircleCheck } from 'lucide-react'
import { useAttentionText } from './attention-text.ts'
import { ConcernList } from './concern-list.tsx'
import { useConcerns } from './concerns.ts'

/** What an operator should look at, with a link to where it is mended. */
export function AttentionPanel() {
  const t = useAttentionText()
  const { concerns, error, isChecked, hasChannels } = useConcerns()
  if (error)
    return (
      <p className="mb-4 rounded-card border border-line bg-surface px-4 py-3 text-small text-danger">
        {t('notChecked')}
      </p>
    )
  if (!isChecked || !(hasChannels || concerns.length > 0)) return null
  return (
    <section
      aria-label={t('attention')}
      className="mb-4 rounded-card border border-line bg-surface px-4 py-3 text-small"
    >
      {concerns.length === 0 ? (
        <NoConcerns />
      ) : (
        <>
          <h2 className="mb-1 font-medium">{t('attention')}</h2>
          <ConcernList concerns={concerns} />
        </>
      )}
    </section>
  )
}

export function NoConcerns() {
  const t = useAttentionText()
  return (
    <p className="flex items-center gap-2 text-muted">
      <CircleCheck size={16} aria-hidden className="shrink-0 text-success" />
      {t('noConcerns')}
    </p>
  )
}
