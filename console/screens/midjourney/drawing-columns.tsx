import { useMemo } from 'react'
import type { Drawing } from '#contract/tasks.ts'
import { LongText } from '../../app/long-text.tsx'
import { TimeText } from '../../app/time-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Column, RowCard } from '../../ui/table/column.ts'
import { type Translate, useText } from '../../ui/text.ts'
import {
  ActionCell,
  ChannelCell,
  CodeCell,
  DurationCell,
  PictureCell,
  ProgressCell,
  StatusCell,
} from './drawing-cells.tsx'
import { text } from './text.ts'

type T = Translate<keyof typeof text.zh>
const MS = 1000

/** The columns of the list. Channel and submission are the administrator's. */
export function useDrawingColumns(isAdmin: boolean): ReadonlyArray<Column<Drawing>> {
  const t = useText(text)
  return useMemo(() => columnsOf(t).filter(({ id }) => isAdmin || !ADMIN.includes(id)), [t, isAdmin])
}

const ADMIN = ['channel', 'code']

const columnsOf = (t: T): ReadonlyArray<Column<Drawing>> => [
  {
    id: 'submitted',
    header: t('submittedAt'),
    isFixed: true,
    cell: drawing => <TimeText unixSeconds={drawing.submit_time / MS} />,
  },
  { id: 'status', header: t('status'), cell: drawing => <StatusCell drawing={drawing} /> },
  { id: 'progress', header: t('progress'), cell: drawing => <ProgressCell drawing={drawing} /> },
  { id: 'duration', header: t('duration'), cell: drawing => <DurationCell drawing={drawing} /> },
  { id: 'action', header: t('action'), cell: drawing => <ActionCell drawing={drawing} /> },
  { id: 'picture', header: t('picture'), cell: drawing => <PictureCell drawing={drawing} /> },
  {
    id: 'taskId',
    header: t('taskId'),
    cell: drawing =>
      drawing.mj_id === '' ? null : (
        <span className="flex items-center gap-1">
          <code className="max-w-36 truncate font-mono text-caption">{drawing.mj_id}</code>
          <CopyButton text={drawing.mj_id} label={t('copyId', { id: drawing.mj_id })} />
        </span>
      ),
  },
  {
    id: 'prompt',
    header: t('prompt'),
    cell: drawing => <LongText label={t('prompt')}>{drawing.prompt}</LongText>,
  },
  {
    id: 'promptEn',
    header: t('promptEn'),
    isExtra: true,
    cell: drawing => <LongText label={t('promptEn')}>{drawing.prompt_en}</LongText>,
  },
  {
    id: 'failure',
    header: t('failure'),
    cell: drawing => (
      <LongText label={t('failure')} isProblem>
        {drawing.fail_reason}
      </LongText>
    ),
  },
  { id: 'channel', header: t('channel'), cell: drawing => <ChannelCell drawing={drawing} /> },
  { id: 'code', header: t('code'), cell: drawing => <CodeCell drawing={drawing} /> },
]

export function useDrawingCard(): RowCard<Drawing> {
  const t = useText(text)
  return useMemo(
    () => ({
      title: drawing => <TimeText unixSeconds={drawing.submit_time / MS} />,
      subtitle: drawing =>
        drawing.fail_reason === '' ? (
          <LongText label={t('prompt')}>{drawing.prompt}</LongText>
        ) : (
          <LongText label={t('failure')} isProblem>
            {drawing.fail_reason}
          </LongText>
        ),
      status: drawing => <StatusCell drawing={drawing} />,
      facts: drawing => [
        { label: t('action'), value: <ActionCell drawing={drawing} /> },
        { label: t('progress'), value: <ProgressCell drawing={drawing} /> },
        { label: t('picture'), value: <PictureCell drawing={drawing} /> },
      ],
    }),
    [t],
  )
}
