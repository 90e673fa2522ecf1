import { Tags } from 'lucide-react'
import { errorText } from '../../app/call-error.ts'
import { confirm } from '../../ui/confirm.ts'
import { InlineNumber } from '../../ui/inline-number.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { PRIORITY_MIN } from './cells.tsx'
import { useTagWrites } from './queries.ts'
import type { TagLine } from './tag-lines.ts'
import { text } from './text.ts'

export function TagNameCell({ line }: { readonly line: TagLine }) {
  const t = useText(text)
  return (
    <span className="flex items-center gap-2">
      <Tags size={15} aria-hidden className="shrink-0 text-muted" />
      <span className="max-w-32 shrink-0 truncate sm:max-w-56">{line.tag || t('untagged')}</span>
      <span className="min-w-0 truncate font-normal text-subtle tabular">
        {t('channelsOf', { count: line.lines.length })}
      </span>
    </span>
  )
}

export function TagStatusCell({ line }: { readonly line: TagLine }) {
  const t = useText(text)
  const { enabled, lines } = line
  const tone = enabled === lines.length ? 'success' : enabled === 0 ? 'neutral' : 'warning'
  const mark = enabled === lines.length ? 'filled' : enabled === 0 ? 'hollow' : 'triangle'
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t('enabledOf', { enabled, total: lines.length })}
    </StatusBadge>
  )
}

interface TagNumberCellProps {
  readonly line: TagLine
  readonly field: 'priority' | 'weight'
}

/** Priority or weight of all channels of a tag at once, after a question. */
export function TagNumberCell({ line, field }: TagNumberCellProps) {
  const t = useText(text)
  const { update } = useTagWrites()
  const { tag, lines } = line
  if (tag === '') return <span className="text-muted tabular">{line[field] ?? t('mixed')}</span>
  const save = async (value: number) => {
    const isSure = await confirm({
      title: t('tagNumberTitle', { tag, field: t(field), value }),
      text: t('tagNumberText', { count: lines.length }),
      action: t('apply'),
    })
    if (!isSure) return false
    try {
      await update.mutateAsync({ tag, [field]: value })
    } catch (error) {
      toast('error', errorText(error))
      return false
    }
    toast('success', t('tagUpdated'))
    return true
  }
  return (
    <InlineNumber
      label={t('fieldOf', { field: t(field), name: tag })}
      value={line[field]}
      mixed={t('mixed')}
      min={field === 'priority' ? PRIORITY_MIN : 0}
      onSave={save}
    />
  )
}
