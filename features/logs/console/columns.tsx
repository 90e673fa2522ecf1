import { MoneyText } from '#console/app/format/format.tsx'
import type { Column, RowCard } from '#console/ui/data/table/column.ts'
import type { Language } from '#console/ui/text/text.ts'
import {
  ChannelCell,
  DurationCell,
  GroupCell,
  ModelCell,
  RetryCell,
  SpeedCell,
  TimeCell,
  TokenCell,
  TokensCell,
  TypeBadge,
  TypeCell,
  UserCell,
} from './cells.tsx'
import { failureReason, isRequest, type Row } from './entry.ts'
import { text } from './text.ts'

const NONE = <span className="text-subtle">-</span>

type LogTexts = (typeof text)[Language]

const costOf = ({ entry }: Row) =>
  isRequest(entry) || entry.quota !== 0 ? <MoneyText quota={entry.quota} /> : NONE

/** The columns of the log. Only administrators see channel, user and retries. */
export function logColumns(language: Language, isAdmin: boolean): Column<Row>[] {
  const texts = text[language]
  return [
    { id: 'time', header: texts.time, isFixed: true, cell: ({ entry }) => <TimeCell entry={entry} /> },
    { id: 'type', header: texts.type, cell: row => <TypeCell row={row} /> },
    { id: 'model', header: texts.model, cell: row => <ModelCell row={row} /> },
    ...figureColumns(texts),
    ...callerColumns(texts, isAdmin),
    ...moreColumns(texts, isAdmin),
  ]
}

/** The card that replaces a row on a phone. */
export function logCard(language: Language): RowCard<Row> {
  const texts = text[language]
  return {
    title: ({ entry }) => <TimeCell entry={entry} isCard />,
    subtitle: ({ entry, detail }) =>
      [failureReason(entry, detail), entry.token_name, entry.channel_name].filter(Boolean).join(' · '),
    status: ({ entry }) => <TypeBadge entry={entry} />,
    facts: row => [
      { label: texts.cost, value: costOf(row) },
      { label: texts.duration, value: isRequest(row.entry) ? <DurationCell row={row} isShort /> : '-' },
      { label: texts.tokens, value: isRequest(row.entry) ? <TokensCell row={row} /> : '-' },
    ],
  }
}

const callerColumns = (texts: LogTexts, isAdmin: boolean): Column<Row>[] => [
  {
    id: 'token',
    isWide: true,
    header: texts.token,
    cell: ({ entry }) => <TokenCell entry={entry} />,
  },
  {
    id: 'group',
    header: texts.group,
    isExtra: true,
    cell: ({ entry }) => <GroupCell entry={entry} />,
  },
  ...(isAdmin
    ? [
        {
          id: 'channel',
          isWide: true,
          header: texts.channel,
          cell: ({ entry }: Row) => <ChannelCell entry={entry} />,
        },
        {
          id: 'user',
          header: texts.user,
          cell: ({ entry }: Row) => <UserCell entry={entry} />,
        },
      ]
    : []),
]

const figureColumns = (texts: LogTexts): Column<Row>[] => [
  {
    id: 'cost',
    header: texts.cost,
    align: 'end',
    cell: costOf,
  },
  {
    id: 'tokens',
    isWide: true,
    header: texts.tokens,
    align: 'end',
    cell: row => (isRequest(row.entry) ? <TokensCell row={row} /> : NONE),
  },
  {
    id: 'duration',
    isWide: true,
    header: texts.duration,
    cell: row => (isRequest(row.entry) ? <DurationCell row={row} /> : NONE),
  },
  {
    id: 'speed',
    header: texts.speed,
    align: 'end',
    isExtra: true,
    cell: row => <SpeedCell row={row} />,
  },
]

const moreColumns = (texts: LogTexts, isAdmin: boolean): Column<Row>[] => [
  ...(isAdmin
    ? [{ id: 'retry', header: texts.retry, isWide: true, cell: (row: Row) => <RetryCell row={row} /> }]
    : []),
  {
    id: 'content',
    header: texts.content,
    isExtra: true,
    cell: ({ entry }) => (
      <span className="block max-w-72 truncate" title={entry.content}>
        {entry.content || NONE}
      </span>
    ),
  },
]
