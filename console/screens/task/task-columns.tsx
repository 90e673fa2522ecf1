import { useMemo } from 'react'
import type { Task } from '#contract/tasks.ts'
import { LongText } from '../../app/long-text.tsx'
import { TimeText } from '../../app/time-text.tsx'
import type { Column, RowCard } from '../../ui/table/column.ts'
import { type Translate, useText } from '../../ui/text.ts'
import { ActionCell, ChannelCell, DurationCell, IdCell, ProgressCell, StatusCell } from './task-cells.tsx'
import { text } from './text.ts'

type T = Translate<keyof typeof text.zh>

/** The columns of the list. The channel is the administrator's. */
export function useTaskColumns(isAdmin: boolean): ReadonlyArray<Column<Task>> {
  const t = useText(text)
  return useMemo(() => columnsOf(t).filter(({ id }) => isAdmin || id !== 'channel'), [t, isAdmin])
}

const platformOf = (platform: string, t: T): string => (platform === 'suno' ? t('suno') : platform)

const columnsOf = (t: T): ReadonlyArray<Column<Task>> => [
  {
    id: 'submitted',
    header: t('submittedAt'),
    isFixed: true,
    cell: task => <TimeText unixSeconds={task.submit_time} />,
  },
  { id: 'status', header: t('status'), cell: task => <StatusCell task={task} /> },
  { id: 'progress', header: t('progress'), cell: task => <ProgressCell task={task} /> },
  { id: 'duration', header: t('duration'), align: 'end', cell: task => <DurationCell task={task} /> },
  { id: 'action', header: t('action'), cell: task => <ActionCell task={task} /> },
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
  { id: 'platform', header: t('platform'), cell: task => platformOf(task.platform, t) },
  { id: 'channel', header: t('channel'), cell: task => <ChannelCell task={task} /> },
  {
    id: 'finished',
    header: t('finishedAt'),
    cell: task =>
      task.finish_time > 0 ? (
        <TimeText unixSeconds={task.finish_time} />
      ) : (
        <span className="text-subtle">{t('stillRunning')}</span>
      ),
  },
]

export function useTaskCard(): RowCard<Task> {
  const t = useText(text)
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
