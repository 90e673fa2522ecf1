import { Suspense, useMemo, useState } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { type TaskColumns, taskCard, taskColumns } from '#console/app/task-list/task-columns.tsx'
import type { Column } from '#console/ui/data/table/column.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { Task } from '../contract.ts'
import { actionKey, durationSeconds, statusBadge } from './task.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

/** The columns and the card of the task list. Only administrators see the channel. */
export function useTaskTable(isAdmin: boolean) {
  const t = useScreenText()
  return useMemo(() => {
    const shared = sharedColumns(t)
    return {
      columns: columnsOf(t, shared).filter(({ id }) => isAdmin || id !== 'channel'),
      card: taskCard(shared, {
        subtitle: task => task.properties.input,
        lastFact: { header: t('shortTaskId'), cell: task => <IdCell task={task} /> },
      }),
    }
  }, [t, isAdmin])
}

const platformName = (platform: string, t: ScreenTranslate): string =>
  platform === 'suno' ? t('suno') : platform

const sharedColumns = (t: ScreenTranslate) =>
  taskColumns<Task>(t, {
    submittedAtSeconds: ({ submit_time }) => submit_time,
    statusBadge({ status }) {
      const [word, tone, mark] = statusBadge(status)
      return [t(word), tone, mark]
    },
    actionWord({ action }) {
      const word = actionKey(action)
      return word ? t(word) : action || t('unknown')
    },
  })

const columnsOf = (t: ScreenTranslate, shared: TaskColumns<Task>): ReadonlyArray<Column<Task>> => [
  shared.submitted,
  shared.status,
  shared.progress,
  { id: 'duration', header: t('duration'), align: 'end', cell: task => <DurationCell task={task} /> },
  { ...shared.action, isWide: true },
  { id: 'taskId', header: t('taskId'), cell: task => <IdCell task={task} /> },
  shared.failure,
  { id: 'platform', header: t('platform'), isWide: true, cell: task => platformName(task.platform, t) },
  { ...shared.channel, isWide: true },
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

function DurationCell({ task }: TaskProps) {
  const t = useScreenText()
  const seconds = durationSeconds(task)
  return seconds === undefined ? null : <span className="tabular">{t('seconds', { count: seconds })}</span>
}
