import type { UseQueryResult } from '@tanstack/react-query'
import { Network } from 'lucide-react'
import { useMemo } from 'react'
import { LoadError } from '../../app/api/load-error.tsx'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { copyText } from '../../ui/buttons/copy-button.tsx'
import type { Column, Selection, TableView } from '../../ui/data/table/column.ts'
import { DataTable } from '../../ui/data/table/data-table.tsx'
import { EmptyList, NoResults } from '../../ui/feedback/empty-list.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { rowActions, useChannelActions } from './actions.tsx'
import { isEnabled, statusBadge } from './channel.ts'
import { channelCard } from './columns.tsx'
import type { ChannelListPage } from './queries.ts'
import { type Row, rowId, subRows, toChannelRows, toTagRows } from './rows.ts'
import { ChannelSearch, countActiveFilters, useSheetNavigation } from './search-params.ts'
import { text } from './text.ts'

interface ChannelsTableProps {
  readonly list: UseQueryResult<ChannelListPage>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly view: TableView
  readonly selection: Selection | undefined
  readonly openId: string | undefined
}

const isMuted = (line: Row): boolean =>
  line.kind === 'tag' ? line.enabledCount === 0 : !isEnabled(line.channel)

export function ChannelsTable({ list, columns, view, selection, openId }: ChannelsTableProps) {
  const t = useText(text)
  const language = useLanguage()
  const {
    search: { tagmode },
  } = useListSearchParams(ChannelSearch)
  const place = useSheetNavigation()
  const actions = useChannelActions()
  const card = useMemo(() => channelCard(language), [language])
  const channels = list.data?.channels
  const isByTag = tagmode === '1'
  const lines = useMemo(
    () => channels && (isByTag ? toTagRows(channels) : toChannelRows(channels)),
    [channels, isByTag],
  )
  const rowName = (line: Row) =>
    line.kind === 'tag'
      ? line.tag || t('untagged')
      : `${line.channel.name}, ${t(statusBadge(line.channel.status).word, { status: line.channel.status })}`
  const open = (line: Row) => line.kind === 'channel' && place.edit(line.channel.id)

  return (
    <>
      {list.error && (
        <LoadError error={list.error} isBusy={list.isFetching} onRetry={() => void list.refetch()} />
      )}
      {!(list.error && lines === undefined) && (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={lines}
          rowId={rowId}
          rowName={rowName}
          card={card}
          empty={<NoChannels />}
          view={view}
          actions={rowActions}
          isMuted={isMuted}
          openId={openId}
          onOpen={open}
          isRefreshing={list.isFetching && list.isPlaceholderData}
          rowKeys={{
            e: open,
            c: line => void (line.kind === 'channel' && copyText(String(line.channel.id))),
            Delete: line => void (line.kind === 'channel' && actions.remove(line.channel)),
          }}
          {...(selection ? { selection } : {})}
          {...(isByTag ? { subRows: subRows } : {})}
        />
      )}
    </>
  )
}

function NoChannels() {
  const t = useText(text)
  const kit = useKitText()
  const place = useSheetNavigation()
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
    <EmptyList icon={Network} title={t('empty')} text={t('emptyText')} add={t('add')} onAdd={place.add} />
  )
}
