import { MoneyText } from '../../app/money/money.tsx'
import type { Column, RowCard } from '../../ui/data/table/column.ts'
import type { Language } from '../../ui/text/text.ts'
import {
  ChannelCell,
  DurationCell,
  FilterCell,
  ModelCell,
  RetryCell,
  SpeedCell,
  TimeCell,
  TokensCell,
  TypeBadge,
  TypeCell,
  UserCell,
} from './cells.tsx'
import { isRequest } from './log-state.ts'
import type { Row } from './row.ts'
import { text } from './text.ts'

const NONE = <span className="text-subtle">-</span>

type LogTexts = (typeof text)[Language]

const callerColumns = (words: LogTexts, isAdmin: boolean): Column<Row>[] => [
  {
    id: 'token',
    header: words.token,
    cell: ({ entry }) => <FilterCell field="token" value={entry.token_name} />,
  },
  {
    id: 'group',
    header: words.group,
    isExtra: true,
    cell: ({ entry }) => <FilterCell field="group" value={entry.group} />,
  },
  ...(isAdmin
    ? [
        {
          id: 'channel',
          header: words.channel,
          cell: ({ entry }: Row) => <ChannelCell entry={entry} />,
        },
        { id: 'user', header: words.user, cell: ({ entry }: Row) => <UserCell entry={entry} /> },
      ]
    : []),
]

const figureColumns = (words: LogTexts): Column<Row>[] => [
  {
    id: 'cost',
    header: words.cost,
    align: 'end',
    cell: ({ entry }) => (isRequest(entry) || entry.quota !== 0 ? <MoneyText quota={entry.quota} /> : NONE),
  },
  {
    id: 'tokens',
    header: words.tokens,
    align: 'end',
    cell: row => (isRequest(row.entry) ? <TokensCell row={row} /> : NONE),
  },
  {
    id: 'duration',
    header: words.duration,
    cell: row => (isRequest(row.entry) ? <DurationCell row={row} /> : NONE),
  },
  {
    id: 'speed',
    header: words.speed,
    align: 'end',
    isExtra: true,
    cell: row => <SpeedCell row={row} />,
  },
]

const moreColumns = (words: LogTexts, isAdmin: boolean): Column<Row>[] => [
  ...(isAdmin ? [{ id: 'retry', header: words.retry, cell: (row: Row) => <RetryCell row={row} /> }] : []),
  {
    id: 'content',
    header: words.content,
    isExtra: true,
    cell: ({ entry }) => (
      <span className="block max-w-72 truncate" title={entry.content}>
        {entry.content || NONE}
      </span>
    ),
  },
]

/** The columns of the log. Channel, user and retries are for administrators. */
export function logColumns(language: Language, isAdmin: boolean): Column<Row>[] {
  const words = text[language]
  return [
    { id: 'time', header: words.time, isFixed: true, cell: ({ entry }) => <TimeCell entry={entry} /> },
    { id: 'type', header: words.type, cell: ({ entry }) => <TypeCell entry={entry} /> },
    { id: 'model', header: words.model, cell: row => <ModelCell row={row} /> },
    ...figureColumns(words),
    ...callerColumns(words, isAdmin),
    ...moreColumns(words, isAdmin),
  ]
}

/** The same on a phone. */
export function logCard(language: Language): RowCard<Row> {
  const words = text[language]
  return {
    title: ({ entry }) => <TimeCell entry={entry} isCard />,
    subtitle: ({ entry }) => [entry.token_name, entry.channel_name].filter(Boolean).join(' · '),
    status: ({ entry }) => <TypeBadge entry={entry} />,
    facts: row => [
      { label: words.cost, value: <MoneyText quota={row.entry.quota} /> },
      { label: words.duration, value: isRequest(row.entry) ? <DurationCell row={row} isShort /> : '-' },
      { label: words.tokens, value: isRequest(row.entry) ? <TokensCell row={row} /> : '-' },
    ],
  }
}
