import type { ReactNode } from 'react'
import type { Channel } from '#contract/channels/channels.ts'
import { MoneyText } from '../../app/money/money.tsx'
import { TimeText } from '../../app/time/time.tsx'
import type { Column, RowCard } from '../../ui/data/table/column.ts'
import { Tag } from '../../ui/data/tag.tsx'
import type { Language } from '../../ui/text/text.ts'
import {
  BalanceCell,
  GroupsCell,
  HealthCell,
  ModelsCell,
  NameCell,
  NumberCell,
  ResponseCell,
  StatusCell,
  TagNameCell,
  TagNumberCell,
  TagStatusCell,
  TypeCell,
} from './cells.tsx'
import { autoDisableReason } from './channel.ts'
import type { Row, TagRow } from './rows.ts'
import { text } from './text.ts'

const EMPTY_CELL = <span className="text-subtle">-</span>

const cell =
  (ofChannel: (channel: Channel) => ReactNode, ofTag: (line: TagRow) => ReactNode = () => null) =>
  (line: Row): ReactNode =>
    line.kind === 'tag' ? ofTag(line) : ofChannel(line.channel)

const timeCell = (unixSeconds: number): ReactNode =>
  unixSeconds > 0 ? <TimeText unixSeconds={unixSeconds} /> : EMPTY_CELL

const statusColumns = (words: (typeof text)[Language]): Column<Row>[] => [
  {
    id: 'name',
    header: words.name,
    isFixed: true,
    cell: cell(
      channel => <NameCell channel={channel} />,
      line => <TagNameCell line={line} />,
    ),
  },
  {
    id: 'status',
    header: words.status,
    cell: cell(
      channel => <StatusCell channel={channel} />,
      line => <TagStatusCell line={line} />,
    ),
  },
  {
    id: 'type',
    header: words.type,
    cell: cell(
      channel => <TypeCell type={channel.type} />,
      () => <span className="text-muted">{words.tagAggregate}</span>,
    ),
  },
  {
    id: 'groups',
    header: words.groups,
    cell: line => <GroupsCell groups={line.kind === 'tag' ? line.groups : line.channel.groups} />,
  },
  {
    id: 'models',
    header: words.models,
    align: 'end',
    cell: cell(channel => <ModelsCell models={channel.models} />),
  },
  {
    id: 'response',
    header: words.response,
    cell: cell(
      channel => (
        <span className="grid justify-items-start gap-0.5">
          <ResponseCell ms={channel.response_time} testedAt={channel.test_time} />
          <HealthCell channel={channel} />
        </span>
      ),
      line => <ResponseCell ms={line.responseMs} testedAt={0} />,
    ),
  },
]

const numberColumns = (words: (typeof text)[Language]): Column<Row>[] => [
  {
    id: 'used',
    header: words.usedBalance,
    align: 'end',
    cell: line => (
      <span className="grid justify-items-end whitespace-nowrap">
        <MoneyText quota={line.kind === 'tag' ? line.usedQuota : line.channel.used_quota} />
        {line.kind === 'channel' && <BalanceCell channel={line.channel} />}
      </span>
    ),
  },
  {
    id: 'priority',
    header: words.priority,
    align: 'end',
    cell: cell(
      channel => <NumberCell channel={channel} field="priority" />,
      line => <TagNumberCell line={line} field="priority" />,
    ),
  },
  {
    id: 'weight',
    header: words.weight,
    align: 'end',
    cell: cell(
      channel => <NumberCell channel={channel} field="weight" />,
      line => <TagNumberCell line={line} field="weight" />,
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
      <span className="block max-w-64 truncate" title={autoDisableReason(channel)?.reason}>
        {autoDisableReason(channel)?.reason ?? EMPTY_CELL}
      </span>
    )),
  },
]

/** The columns of the list, for channels and for the lines of tags alike. */
export const channelColumns = (language: Language): Column<Row>[] => [
  ...statusColumns(text[language]),
  ...numberColumns(text[language]),
  ...extraColumns(text[language]),
]

/** The same on a phone. */
export const channelCard = (language: Language): RowCard<Row> => {
  const words = text[language]
  return {
    title: cell(
      channel => <NameCell channel={channel} isCard />,
      line => <TagNameCell line={line} />,
    ),
    subtitle: cell(
      channel => <TypeCell type={channel.type} />,
      line => <GroupsCell groups={line.groups} />,
    ),
    status: cell(
      channel => <StatusCell channel={channel} />,
      line => <TagStatusCell line={line} />,
    ),
    facts: line => [
      {
        label: words.response,
        value:
          line.kind === 'tag' ? (
            <ResponseCell ms={line.responseMs} testedAt={0} />
          ) : (
            <ResponseCell ms={line.channel.response_time} testedAt={line.channel.test_time} />
          ),
      },
      {
        label: words.used,
        value: <MoneyText quota={line.kind === 'tag' ? line.usedQuota : line.channel.used_quota} />,
      },
      {
        label: words.priority,
        value:
          line.kind === 'tag' ? (
            <TagNumberCell line={line} field="priority" />
          ) : (
            <NumberCell channel={line.channel} field="priority" />
          ),
      },
    ],
  }
}
