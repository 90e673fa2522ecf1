import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Task } from '#contract/tasks.ts'
import { endOf, progressShare } from '../../app/progress-share.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { actionWord, durationOf, statusFace } from './task-state.ts'
import { text } from './text.ts'

const dialog = lazyPart(async () => (await import('./task-dialog.tsx')).TaskDialog)

interface TaskProps {
  readonly task: Task
}

const LINK = 'rounded-control text-accent hover:underline underline-offset-2'

/** The id opens everything that is known of the task. */
export function IdCell({ task }: TaskProps) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  const id = task.task_id || `#${task.id}`
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={t('openTask', { id })}
        onPointerEnter={dialog.preload}
        onFocus={dialog.preload}
        onClick={() => setOpen(true)}
        className={`${LINK} block max-w-full truncate touch-line sm:max-w-44 text-left font-mono text-caption`}
      >
        {id}
      </button>
      <Suspense fallback={null}>
        {isOpen && <dialog.Part task={task} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

export function ActionCell({ task: { action } }: TaskProps) {
  const t = useText(text)
  const word = actionWord(action)
  return (
    <StatusBadge tone="neutral" mark="none">
      {word ? t(word) : action || t('unknown')}
    </StatusBadge>
  )
}

export function StatusCell({ task }: TaskProps) {
  const t = useText(text)
  const [word, tone, mark] = statusFace(task.status)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
}

export function DurationCell({ task }: TaskProps) {
  const t = useText(text)
  const seconds = durationOf(task)
  return seconds === undefined ? null : <span className="tabular">{t('seconds', { count: seconds })}</span>
}

export function ProgressCell({ task: { progress, status } }: TaskProps) {
  const t = useText(text)
  return (
    <span className="inline-grid min-w-20 gap-1 tabular">
      {progress || '0%'}
      <ProgressBar
        label={t('progress')}
        share={progressShare(progress)}
        text={progress || '0%'}
        end={endOf(status)}
      />
    </span>
  )
}

export function ChannelCell({ task: { channel_id: id } }: TaskProps) {
  const t = useText(text)
  if (id === 0) return null
  return (
    <Link to={`/channel/edit/${id}`} aria-label={t('openChannel', { id })} className={`${LINK} tabular`}>
      {`#${id}`}
    </Link>
  )
}
