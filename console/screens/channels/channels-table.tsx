import type { UseQueryResult } from '@tanstack/react-query'
import { Network } from 'lucide-react'
import { useMemo } from 'react'
import { useListUrl } from '../../app/list-url.ts'
import { LoadError } from '../../app/load-error.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { kitText } from '../../ui/kit-text.ts'
import { NoneFound } from '../../ui/none-found.tsx'
import { NoneYet } from '../../ui/none-yet.tsx'
import type { Column, Selection, TableView } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { isEnabled, statusFace } from './channel-state.ts'
import { cardIn } from './columns.tsx'
import { lineActions } from './line-actions.tsx'
import { activeFilters } from './list-state.ts'
import { usePlace } from './place.ts'
import type { ChannelPage } from './queries.ts'
import { ChannelSearch } from './search.ts'
import { channelLines, type Line, lineId, subLines, tagLines } from './tag-lines.ts'
import { text } from './text.ts'
import { useChannelActions } from './use-channel-actions.ts'

interface ChannelsTableProps {
  readonly list: UseQueryResult<ChannelPage>
  readonly columns: ReadonlyArray<Column<Line>>
  readonly view: TableView
  readonly selection: Selection | undefined
  readonly openId: string | undefined
}

const isMuted = (line: Line): boolean => (line.kind === 'tag' ? line.enabled === 0 : !isEnabled(line.channel))

export function ChannelsTable({ list, columns, view, selection, openId }: ChannelsTableProps) {
  const t = useText(text)
  const language = useLanguage()
  const {
    search: { tagmode },
  } = useListUrl(ChannelSearch)
  const place = usePlace()
  const actions = useChannelActions()
  const card = useMemo(() => cardIn(language), [language])
  const channels = list.data?.channels
  const isByTag = tagmode === '1'
  const lines = useMemo(
    () => channels && (isByTag ? tagLines(channels) : channelLines(channels)),
    [channels, isByTag],
  )
  const rowName = (line: Line) =>
    line.kind === 'tag'
      ? line.tag || t('untagged')
      : `${line.channel.name}, ${t(statusFace(line.channel.status).word, { status: line.channel.status })}`
  const open = (line: Line) => line.kind === 'channel' && place.edit(line.channel.id)

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
          rowId={lineId}
          rowName={rowName}
          card={card}
          empty={<NoChannels />}
          view={view}
          actions={lineActions}
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
          {...(isByTag ? { subRows: subLines } : {})}
        />
      )}
    </>
  )
}

function NoChannels() {
  const t = useText(text)
  const kit = useText(kitText)
  const place = usePlace()
  const { search, setFilter } = useListUrl(ChannelSearch)
  if (search.q !== '' || activeFilters(search) > 0) {
    const all = { q: '', model: '', group: '', status: '', type: '' } as const
    return (
      <NoneFound
        title={t('noMatch')}
        text={t('noMatchText')}
        clear={kit('clearAll')}
        onClear={() => setFilter(all)}
      />
    )
  }
  return <NoneYet icon={Network} title={t('empty')} text={t('emptyText')} add={t('add')} onAdd={place.add} />
}
