import type { UseQueryResult } from '@tanstack/react-query'
import { Network } from 'lucide-react'
import { useMemo } from 'react'
import { ListTable, useListSearchParams } from '#console/app/list/list-page.tsx'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import type { Column, Selection } from '#console/ui/data/table/column.ts'
import { EmptyList, NoResults } from '#console/ui/feedback/feedback.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { rowActions } from './actions.tsx'
import { isEnabled, statusBadge } from './channel.ts'
import { channelCard } from './columns.tsx'
import type { ChannelListPage } from './queries.ts'
import { type Row, rowId, subRows, toChannelRows, toTagRows } from './rows.ts'
import { ChannelSearch, countActiveFilters, useSheetNavigation } from './search-params.ts'
import { useScreenText } from './text.ts'
import { useChannelActions } from './use-channel-actions.ts'

interface ChannelsTableProps {
  readonly list: UseQueryResult<ChannelListPage>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly selection: Selection | undefined
  readonly openId: string | undefined
}

const isMuted = (row: Row): boolean => (row.kind === 'tag' ? row.enabledCount === 0 : !isEnabled(row.channel))

export function ChannelsTable({ list, columns, selection, openId }: ChannelsTableProps) {
  const t = useScreenText()
  const language = useLanguage()
  const {
    search: { tagmode },
  } = useListSearchParams(ChannelSearch)
  const navigation = useSheetNavigation()
  const actions = useChannelActions()
  const card = useMemo(() => channelCard(language), [language])
  const channels = list.data?.channels
  const isByTag = tagmode === '1'
  const rows = useMemo(
    () => channels && (isByTag ? toTagRows(channels) : toChannelRows(channels)),
    [channels, isByTag],
  )
  const rowName = (row: Row) =>
    row.kind === 'tag'
      ? row.tag || t('untagged')
      : `${row.channel.name}, ${t(statusBadge(row.channel.status).textKey, { status: row.channel.status })}`
  const open = (row: Row) => row.kind === 'channel' && navigation.open(row.channel.id)

  return (
    <ListTable
      table="channels"
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={rowId}
      rowName={rowName}
      card={card}
      empty={<NoChannels />}
      actions={rowActions}
      isMuted={isMuted}
      openId={openId}
      onOpen={open}
      isRefreshing={list.isFetching && list.isPlaceholderData}
      rowKeys={{
        e: open,
        c: row => void (row.kind === 'channel' && copyText(String(row.channel.id))),
        Delete: row => void (row.kind === 'channel' && actions.remove(row.channel)),
      }}
      {...(selection ? { selection } : {})}
      {...(isByTag ? { subRows: subRows } : {})}
    />
  )
}

function NoChannels() {
  const t = useScreenText()
  const kit = useKitText()
  const navigation = useSheetNavigation()
  const { search, setFilter } = useListSearchParams(ChannelSearch)
  if (search.q !== '' || countActiveFilters(search) > 0) {
    const all = { q: '', model: '', group: '', status: '', type: '' } as const
    return (
      <NoResults
        title={t('noMatch')}
        text={t('noMatchText')}
        clear={kit('clearAll')}
        onClear={() => setFilter(all)}
      />
    )
  }
  return (
    <EmptyList
      icon={Network}
      title={t('empty')}
      text={t('emptyText')}
      add={t('add')}
      onAdd={navigation.openNew}
    />
  )
}
