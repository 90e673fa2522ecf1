import type { ReactNode } from 'react'
import { MoneyText, TimeText } from '#console/app/format/format.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import type { Language } from '#console/ui/text/text.ts'
import type { Channel } from '../contract/channels.ts'
import {
  BalanceCell,
  GroupsCell,
  ModelsCell,
  NameCell,
  NumberCell,
  StatusCell,
  TagNameCell,
  TagNumberCell,
  TagStatusCell,
  TypeCell,
} from './cells.tsx'
import { channelRemark } from './channel.ts'
import { HealthCell, ResponseCell } from './health.tsx'
import type { Row, TagRow } from './rows.ts'
import { text } from './text.ts'

const EMPTY_CELL = <span className="text-subtle">-</span>

const cell =
  (ofChannel: (channel: Channel) => ReactNode, ofTag: (row: TagRow) => ReactNode = () => null) =>
  (row: Row): ReactNode =>
    row.kind === 'tag' ? ofTag(row) : ofChannel(row.channel)

const timeCell = (unixSeconds: number): ReactNode =>
  unixSeconds > 0 ? <TimeText unixSeconds={unixSeconds} /> : EMPTY_CELL

const statusColumns = (words: (typeof text)[Language]): Column<Row>[] => [
  {
    id: 'name',
    header: words.name,
    isFixed: true,
    cell: cell(
      channel => <NameCell channel={channel} />,
      row => <TagNameCell row={row} />,
    ),
  },
  {
    id: 'status',
    header: words.status,
    width: STATUS_WIDTH,
    cell: cell(
      channel => <StatusCell channel={channel} />,
      row => <TagStatusCell row={row} />,
    ),
  },
  {
    id: 'type',
    header: words.type,
    isWide: true,
    cell: cell(
      channel => <TypeCell type={channel.type} />,
      () => <span className="text-muted">{words.tagAggregate}</span>,
    ),
  },
  {
    id: 'groups',
    isWide: true,
    header: words.groups,
    cell: row => <GroupsCell groups={row.kind === 'tag' ? row.groups : row.channel.groups} />,
  },
  {
    id: 'models',
    header: words.models,
    isWide: true,
    align: 'end',
    cell: cell(channel => <ModelsCell models={channel.models} />),
  },
  {
    id: 'response',
    header: words.response,
    cell: cell(
      channel => <HealthCell channel={channel} />,
      row => <ResponseCell ms={row.responseMs} testedAt={0} />,
    ),
  },
]

const numberColumns = (words: (typeof text)[Language]): Column<Row>[] => [
  {
    id: 'used',
    isWide: true,
    header: words.usedBalance,
    align: 'end',
    cell: row => (
      <span className="grid justify-items-end whitespace-nowrap">
        <MoneyText quota={row.kind === 'tag' ? row.usedQuota : row.channel.used_quota} />
        {row.kind === 'channel' && <BalanceCell channel={row.channel} />}
      </span>
    ),
  },
  {
    id: 'priority',
    header: words.priority,
    isWide: true,
    align: 'end',
    cell: cell(
      channel => <NumberCell channel={channel} field="priority" />,
      row => <TagNumberCell row={row} field="priority" />,
    ),
  },
  {
    id: 'weight',
    header: words.weight,
    isWide: true,
    align: 'end',
    cell: cell(
      channel => <NumberCell channel={channel} field="weight" />,
      row => <TagNumberCell row={row} field="weight" />,
    ),
  },
]

const extraColumns = (words: (typeof text)[Language]): Column<Row>[] => [
  {
    id: 'tag',
    header: words.tag,
    isExtra: true,
    cell: cell(channel => (channel.tag ? <Tag>{channel.tag}</Tag> : EMPTY_CELL)),
  },
  {
    id: 'tested',
    header: words.testTime,
    isExtra: true,
    cell: cell(channel => timeCell(channel.test_time)),
  },
  {
    id: 'created',
    header: words.created,
    isExtra: true,
    cell: cell(channel => timeCell(channel.created_time)),
  },
  {
    id: 'error',
    header: words.lastError,
    isExtra: true,
    cell: cell(channel => (
      <span className="block max-w-64 truncate" title={channelRemark(channel)?.reason}>
        {channelRemark(channel)?.reason ?? EMPTY_CELL}
      </span>
    )),
  },
]

/** The columns of the list, for channel rows and tag rows, headed in the given language. */
export const channelColumns = (language: Language): Column<Row>[] => [
  ...statusColumns(text[language]),
  ...numberColumns(text[language]),
  ...extraColumns(text[language]),
]

/** A row as a card, for narrow screens. */
export const channelCard = (language: Language): RowCard<Row> => {
  const words = text[language]
  return {
    title: cell(
      channel => <NameCell channel={channel} isCard />,
      row => <TagNameCell row={row} />,
    ),
    subtitle: cell(
      channel => <TypeCell type={channel.type} />,
      row => <GroupsCell groups={row.groups} />,
    ),
    status: cell(
      channel => <StatusCell channel={channel} />,
      row => <TagStatusCell row={row} />,
    ),
    facts: row => [
      {
        label: words.response,
        value:
          row.kind === 'tag' ? (
            <ResponseCell ms={row.responseMs} testedAt={0} />
          ) : (
            <HealthCell channel={row.channel} />
          ),
      },
      {
        label: words.used,
        value: <MoneyText quota={row.kind === 'tag' ? row.usedQuota : row.channel.used_quota} />,
      },
      {
        label: words.priority,
        value:
          row.kind === 'tag' ? (
            <TagNumberCell row={row} field="priority" />
          ) : (
            <NumberCell channel={row.channel} field="priority" />
          ),
      },
    ],
  }
}
