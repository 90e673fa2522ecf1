import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { ListPager, useListPages } from '../../app/list-pages.tsx'
import { useListUrl } from '../../app/list-url.ts'
import { readStored, writeStored } from '../../app/local-store.ts'
import { formatNumber } from '../../app/money.ts'
import { useTableView } from '../../app/table-state.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { ChannelOverlays } from './channel-overlays.tsx'
import { ChannelsFilters } from './channels-filters.tsx'
import { ChannelsTable } from './channels-table.tsx'
import { columnsIn } from './columns.tsx'
import { bulkActions, channelSheet, listMenu, runProgress } from './lazy-parts.ts'
import { listQueryOf } from './list-state.ts'
import { useOpenSheet, usePlace } from './place.ts'
import { channelsQuery } from './queries.ts'
import { ChannelSearch } from './search.ts'
import { tagLines } from './tag-lines.ts'
import { text } from './text.ts'

const NOTHING: ReadonlySet<string> = new Set()

export function ChannelsScreen() {
  const t = useText(text)
  const language = useLanguage()
  const url = useListUrl(ChannelSearch)
  const { search } = url
  const place = usePlace()
  const open = useOpenSheet()
  const wanted = listQueryOf(search)
  const list = useQuery(channelsQuery(wanted))
  const [selected, setSelected] = useState(NOTHING)
  const [isBatch, setBatch] = useState(() => readStored('open-channel-batch') !== 'off')
  const [view, setView] = useTableView('channels')
  const columns = useMemo(() => columnsIn(language), [language])
  const { channels = [], total } = list.data ?? {}
  const selectedChannels = channels.filter(channel => selected.has(String(channel.id)))
  const isByTag = search.tagmode === '1'
  const shown = isByTag ? tagLines(channels) : channels
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: page => channelsQuery({ ...wanted, page }),
    onRefresh: () => void list.refetch(),
    onNew: place.add,
  })

  const changeBatch = (isOn: boolean) => {
    writeStored('open-channel-batch', isOn ? undefined : 'off')
    setSelected(NOTHING)
    setBatch(isOn)
  }

  return (
    <>
      <PageHeader title={t('title')} count={total === undefined ? undefined : formatNumber(total, language)}>
        <Suspense fallback={<span className="size-9" />}>
          <listMenu.Part isBatch={isBatch} onBatch={changeBatch} />
        </Suspense>
        <Button
          look="primary"
          icon={Plus}
          onPointerEnter={channelSheet.preload}
          onFocus={channelSheet.preload}
          onClick={place.add}
        >
          {t('add')}
        </Button>
      </PageHeader>
      <Suspense fallback={null}>
        <runProgress.Part />
      </Suspense>
      {isBatch && selectedChannels.length > 0 ? (
        <Suspense fallback={<div className="mb-3 h-11" />}>
          <bulkActions.Part
            channels={selectedChannels}
            onSelect={ids => setSelected(new Set(ids.map(String)))}
          />
        </Suspense>
      ) : (
        <ChannelsFilters
          columns={columns}
          view={view}
          onView={setView}
          isBusy={list.isFetching}
          onRefresh={() => void list.refetch()}
        />
      )}
      <ChannelsTable
        list={list}
        columns={columns}
        view={view}
        selection={isBatch ? { ids: selected, onChange: setSelected } : undefined}
        openId={open?.mode === 'edit' ? String(open.id) : undefined}
      />
      <ListPager url={url} list={list.data && { rows: shown, total }} />
      <ChannelOverlays channels={channels} />
    </>
  )
}
