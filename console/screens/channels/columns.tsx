import type { ReactNode } from 'react'
import type { Channel } from '#contract/channels.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { TimeText } from '../../app/time-text.tsx'
import type { Column, RowCard } from '../../ui/table/column.ts'
import { Tag } from '../../ui/tag.tsx'
import type { Language } from '../../ui/text.ts'
import {
  BalanceCell,
  GroupsCell,
  HealthCell,
  ModelsCell,
  NameCell,
  NumberCell,
  ResponseCell,
  TypeCell,
} from './cells.tsx'
import { disabledReason } from './channel-state.ts'
import { StatusCell } from './status-cell.tsx'
import { TagNameCell, TagNumberCell, TagStatusCell } from './tag-cells.tsx'
import type { Line, TagLine } from './tag-lines.ts'
import { text } from './text.ts'

const NONE = <span className="text-subtle">-</span>

const cell =
  (ofChannel: (channel: Channel) => ReactNode, ofTag: (line: TagLine) => ReactNode = () => null) =>
  (line: Line): ReactNode =>
    line.kind === 'tag' ? ofTag(line) : ofChannel(line.channel)

const time = (unixSeconds: number): ReactNode =>
  unixSeconds > 0 ? <TimeText unixSeconds={unixSeconds} /> : NONE

const stateColumns = (words: (typeof text)[Language]): Column<Line>[] => [
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

const figureColumns = (words: (typeof text)[Language]): Column<Line>[] => [
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

const extraColumns = (words: (typeof text)[Language]): Column<Line>[] => [
  {
    id: 'tag',
    header: words.tag,
    isExtra: true,
    cell: cell(channel => (channel.tag ? <Tag>{channel.tag}</Tag> : NONE)),
  },
  {
    id: 'tested',
    header: words.testTime,
    isExtra: true,
    cell: cell(channel => time(channel.test_time)),
  },
  {
    id: 'created',
    header: words.created,
    isExtra: true,
    cell: cell(channel => time(channel.created_time)),
  },
  {
    id: 'error',
    header: words.lastError,
    isExtra: true,
    cell: cell(channel => (
      <span className="block max-w-64 truncate" title={disabledReason(channel)?.reason}>
        {disabledReason(channel)?.reason ?? NONE}
      </span>
    )),
  },
]

/** The columns of the list, for channels and for the lines of tags alike. */
export const columnsIn = (language: Language): Column<Line>[] => [
  ...stateColumns(text[language]),
  ...figureColumns(text[language]),
  ...extraColumns(text[language]),
]

/** The same on a phone. */
export const cardIn = (language: Language): RowCard<Line> => {
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
