import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { ListPage, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { useListSelection } from '#console/app/list/list-selection.ts'
import { readStored, writeStored } from '#console/app/preferences/local-store.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { Channel } from '../contract/channels.ts'
import { channelColumns } from './columns.tsx'
import { ChannelsFilters } from './filters.tsx'
import {
  bulkActions,
  channelSheet,
  listMenu,
  routeDialog,
  runProgress,
  tagSheet,
  testDialog,
} from './lazy-parts.ts'
import { channelsQuery, toMatching } from './queries.ts'
import { toTagRows } from './rows.ts'
import { ChannelSearch, toListQuery, useOpenSheet, useSheetNavigation } from './search-params.ts'
import { ChannelsTable } from './table.tsx'
import { useScreenText } from './text.ts'

const NO_CHANNELS: readonly Channel[] = []

export function ChannelsPage() {
  const t = useScreenText()
  const language = useLanguage()
  const url = useListSearchParams(ChannelSearch)
  const { search } = url
  const navigation = useSheetNavigation()
  const open = useOpenSheet()
  const query = toListQuery(search)
  const list = useQuery(channelsQuery(query))
  const [isBatch, setBatch] = useState(() => readStored('open-channel-batch') !== 'off')
  const columns = useMemo(() => channelColumns(language), [language])
  const { channels = NO_CHANNELS, total } = list.data ?? {}
  const isByTag = search.tagmode === '1'
  const pageIds = useMemo(() => channels.map(channel => String(channel.id)), [channels])
  // In tag mode the total counts tags.
  const selection = useListSelection({
    pageIds,
    total: isByTag ? undefined : total,
    filter: toMatching(query),
  })
  const rows = isByTag ? toTagRows(channels) : channels
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: page => channelsQuery({ ...query, page }),
    onRefresh: () => void list.refetch(),
    onNew: navigation.openNew,
  })

  const changeBatch = (isOn: boolean) => {
    writeStored('open-channel-batch', isOn ? undefined : 'off')
    selection.clear()
    setBatch(isOn)
  }

  return (
    <>
      <ListPage
        title={t('title')}
        actions={
          <>
            <Suspense fallback={<span className="size-9" />}>
              <listMenu.Part isBatch={isBatch} onBatch={changeBatch} />
            </Suspense>
            <Button
              variant="primary"
              icon={Plus}
              onPointerEnter={channelSheet.preload}
              onFocus={channelSheet.preload}
              onClick={navigation.openNew}
            >
              {t('add')}
            </Button>
          </>
        }
        notice={
          <Suspense fallback={null}>
            <runProgress.Part />
          </Suspense>
        }
        toolbar={
          isBatch && selection.count > 0 ? (
            <Suspense fallback={<div className="mb-3 h-11" />}>
              <bulkActions.Part
                channels={channels}
                filter={toMatching(query)}
                selection={selection}
                onRecount={async () => (await list.refetch()).data?.total}
              />
            </Suspense>
          ) : (
            <ChannelsFilters
              columns={columns}
              isBusy={list.isFetching}
              onRefresh={() => void list.refetch()}
            />
          )
        }
        url={url}
        list={{ data: list.data && { rows, total }, error: list.error, isFetching: list.isFetching }}
        onRefresh={() => void list.refetch()}
      >
        <ChannelsTable
          list={list}
          columns={columns}
          selection={isBatch ? { ids: selection.ids, onChange: selection.select } : undefined}
          openId={open?.mode === 'edit' ? String(open.id) : undefined}
        />
      </ListPage>
      <OpenOverlay channels={channels} />
    </>
  )
}

interface OpenOverlayProps {
  /** The page of the list. */
  readonly channels: readonly Channel[]
}

/** The sheet or dialog over the list that the URL opens. */
function OpenOverlay({ channels }: OpenOverlayProps) {
  const { test, tag, tagmode, preview } = useSearchParams(ChannelSearch)
  const open = useOpenSheet()
  const tagSize = tagmode === '1' ? channels.filter(channel => channel.tag === tag).length : undefined
  return (
    <Suspense fallback={null}>
      {open && <channelSheet.Part open={open} channels={channels} />}
      {preview === '1' && !open && <routeDialog.Part />}
      {test !== '' && <testDialog.Part id={Number(test)} />}
      {tag !== '' && <tagSheet.Part key={tag} tag={tag} size={tagSize} />}
    </Suspense>
  )
}
