import type { ReactNode } from 'react'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '../../ui/data/table/column.ts'
import { TimeText } from '../format/format.tsx'
import { LongText } from '../list/long-text.tsx'
import { ChannelLink } from '../list/record-link.tsx'
import { TaskProgress } from './progress.tsx'
import type { TaskTranslate } from './text.ts'

/** What every task of a provider has. */
export interface TaskRow {
  readonly id: number
  readonly channel_id: number
  readonly progress: string
  readonly status: string
  readonly fail_reason: string
}

/** What differs from one kind of task to another. */
interface TaskKind<Row> {
  readonly submittedAtSeconds: (row: Row) => number
  readonly statusBadge: (row: Row) => readonly [word: string, tone: Tone, mark: BadgeMark]
  readonly actionWord: (row: Row) => string
}

export type TaskColumns<Row> = Readonly<
  Record<'submitted' | 'status' | 'progress' | 'action' | 'failure' | 'channel', Column<Row>>
>

/** The columns of every list of tasks. */
export function taskColumns<Row extends TaskRow>(
  t: TaskTranslate,
  { submittedAtSeconds, statusBadge, actionWord }: TaskKind<Row>,
): TaskColumns<Row> {
  const statusCell = (row: Row) => {
    const [word, tone, mark] = statusBadge(row)
    return (
      <StatusBadge tone={tone} mark={mark}>
        {word}
      </StatusBadge>
    )
  }
  return {
    submitted: {
      id: 'submitted',
      header: t('submittedAt'),
      isFixed: true,
      cell: row => <TimeText unixSeconds={submittedAtSeconds(row)} />,
    },
    status: { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: statusCell },
    progress: {
      id: 'progress',
      header: t('progress'),
      cell: ({ progress, status }) => (
        <TaskProgress label={t('progress')} progress={progress} status={status} />
      ),
    },
    action: {
      id: 'action',
      header: t('action'),
      cell: row => (
        <StatusBadge tone="neutral" mark="none">
          {actionWord(row)}
        </StatusBadge>
      ),
    },
    failure: {
      id: 'failure',
      header: t('failure'),
      cell: ({ fail_reason: reason }) => (
        <LongText label={t('failure')} isProblem>
          {reason}
        </LongText>
      ),
    },
    channel: {
      id: 'channel',
      header: t('channel'),
      cell: ({ channel_id: id }) =>
        id !== 0 && (
          <ChannelLink id={id} label={t('openChannel', { id })} className="text-accent tabular">
            {`#${id}`}
          </ChannelLink>
        ),
    },
  }
}

interface CardParts<Row> {
  /** Shown below the time, unless the task has failed. */
  readonly subtitle: (row: Row) => ReactNode
  readonly lastFact: Pick<Column<Row>, 'header' | 'cell'>
}

/** One task as a card, for narrow screens. */
export function taskCard<Row extends TaskRow>(
  { submitted, status, progress, action, failure }: TaskColumns<Row>,
  { subtitle, lastFact }: CardParts<Row>,
): RowCard<Row> {
  return {
    title: submitted.cell,
    subtitle: row => (row.fail_reason === '' ? subtitle(row) : failure.cell(row)),
    status: status.cell,
    facts: row =>
      [action, progress, lastFact].map(({ header, cell }) => ({ label: header, value: cell(row) })),
  }
}
