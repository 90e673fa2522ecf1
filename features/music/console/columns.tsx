import { Suspense, useMemo, useState } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { LongText } from '#console/app/list/long-text.tsx'
import { ChannelLink } from '#console/app/list/record-link.tsx'
import { TaskProgress } from '#console/app/list/task-progress.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { Task } from '../contract.ts'
import { actionKey, durationSeconds, statusBadge } from './task.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

/** The columns of the task list, headed in the current language. Only administrators see the channel. */
export function useTaskColumns(isAdmin: boolean): ReadonlyArray<Column<Task>> {
  const t = useScreenText()
  return useMemo(() => taskColumns(t).filter(({ id }) => isAdmin || id !== 'channel'), [t, isAdmin])
}

const platformName = (platform: string, t: ScreenTranslate): string =>
  platform === 'suno' ? t('suno') : platform

const taskColumns = (t: ScreenTranslate): ReadonlyArray<Column<Task>> => [
  {
    id: 'submitted',
    header: t('submittedAt'),
    isFixed: true,
    cell: task => <TimeText unixSeconds={task.submit_time} />,
  },
  { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: task => <StatusCell task={task} /> },
  { id: 'progress', header: t('progress'), cell: task => <ProgressCell task={task} /> },
  { id: 'duration', header: t('duration'), align: 'end', cell: task => <DurationCell task={task} /> },
  { id: 'action', header: t('action'), isWide: true, cell: task => <ActionCell task={task} /> },
  { id: 'taskId', header: t('taskId'), cell: task => <IdCell task={task} /> },
  {
    id: 'failure',
    header: t('failure'),
    cell: task => (
      <LongText label={t('failure')} isProblem>
        {task.fail_reason}
      </LongText>
    ),
  },
  { id: 'platform', header: t('platform'), isWide: true, cell: task => platformName(task.platform, t) },
  { id: 'channel', header: t('channel'), isWide: true, cell: task => <ChannelCell task={task} /> },
  {
    id: 'finished',
    isWide: true,
    header: t('finishedAt'),
    cell: task =>
      task.finish_time > 0 ? (
        <TimeText unixSeconds={task.finish_time} />
      ) : (
        <span className="text-subtle">{t('stillRunning')}</span>
      ),
  },
]

/** One task as a card, for narrow screens. */
export function useTaskCard(): RowCard<Task> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: task => <TimeText unixSeconds={task.submit_time} />,
      subtitle: task =>
        task.fail_reason === '' ? (
          task.properties.input
        ) : (
          <LongText label={t('failure')} isProblem>
            {task.fail_reason}
          </LongText>
        ),
      status: task => <StatusCell task={task} />,
      facts: task => [
        { label: t('action'), value: <ActionCell task={task} /> },
        { label: t('progress'), value: <ProgressCell task={task} /> },
        { label: t('shortTaskId'), value: <IdCell task={task} /> },
      ],
    }),
    [t],
  )
}

const detailDialog = lazyPart(async () => (await import('./task-dialog.tsx')).TaskDialog)

interface TaskProps {
  readonly task: Task
}

const LINK = 'rounded-control text-accent hover:underline underline-offset-2'

/** The task id; opens the dialog with the full task. */
function IdCell({ task }: TaskProps) {
  const t = useScreenText()
  const [isOpen, setOpen] = useState(false)
  const id = task.task_id || `#${task.id}`
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={t('openTask', { id })}
        onPointerEnter={detailDialog.preload}
        onFocus={detailDialog.preload}
        onClick={() => setOpen(true)}
        className={`${LINK} block max-w-full truncate touch-line sm:max-w-44 text-left font-mono text-caption`}
      >
        {id}
      </button>
      <Suspense fallback={null}>
        {isOpen && <detailDialog.Part task={task} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

function ActionCell({ task: { action } }: TaskProps) {
  const t = useScreenText()
  const word = actionKey(action)
  return (
    <StatusBadge tone="neutral" mark="none">
      {word ? t(word) : action || t('unknown')}
    </StatusBadge>
  )
}

function StatusCell({ task }: TaskProps) {
  const t = useScreenText()
  const [word, tone, mark] = statusBadge(task.status)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
}

function DurationCell({ task }: TaskProps) {
  const t = useScreenText()
  const seconds = durationSeconds(task)
  return seconds === undefined ? null : <span className="tabular">{t('seconds', { count: seconds })}</span>
}

function ProgressCell({ task: { progress, status } }: TaskProps) {
  const t = useScreenText()
  return <TaskProgress label={t('progress')} progress={progress} status={status} />
}

function ChannelCell({ task: { channel_id: id } }: TaskProps) {
  const t = useScreenText()
  if (id === 0) return null
  return (
    <ChannelLink id={id} label={t('openChannel', { id })} className="text-accent tabular">
      {`#${id}`}
    </ChannelLink>
  )
}
