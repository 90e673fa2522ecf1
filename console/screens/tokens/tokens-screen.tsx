import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo, useState } from 'react'
import type { Token } from '#contract/tokens.ts'
import { ListPager, useListPages } from '../../app/list-pages.tsx'
import { useListUrl } from '../../app/list-url.ts'
import { LoadError } from '../../app/load-error.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { tokensQuery } from './queries.ts'
import { NEW, TokenSearch } from './search.ts'
import { text } from './text.ts'
import { copyLines } from './token-state.ts'
import { TokensBulkBar } from './tokens-bulk-bar.tsx'
import { NO_FILTERS, TokensFilters } from './tokens-filters.tsx'
import { TokensHeader } from './tokens-header.tsx'
import { TokensTable } from './tokens-table.tsx'

const sheet = lazyPart(async () => (await import('./token-sheet.tsx')).TokenSheet)
const created = lazyPart(async () => (await import('./created-dialog.tsx')).CreatedDialog)

const NONE: ReadonlySet<string> = new Set()

export function TokensScreen() {
  const url = useListUrl(TokenSearch)
  const { search, page, size, set } = url
  const { q, key, status, group } = search
  const filter = useMemo(() => ({ q, key, status, group }), [q, key, status, group])
  const list = useQuery(tokensQuery(filter, page, size))
  const [selected, setSelected] = useState(NONE)
  const [fresh, setFresh] = useState<readonly Token[]>([])

  const rows = list.data?.rows
  const total = list.data?.total
  const open = useCallback((edit: string, from = '') => set({ edit, from }, { push: true }), [set])
  const close = useCallback((leavesForm = false) => set({ edit: '', from: '' }, { leavesForm }), [set])
  const openNew = useCallback(() => open(NEW), [open])
  const refresh = useCallback(() => void list.refetch(), [list.refetch])
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: at => tokensQuery(filter, at, size),
    onRefresh: refresh,
    onNew: openNew,
  })

  const copySelected = useCopy(rows, selected)
  return (
    <>
      <TokensHeader total={total} onCopy={copySelected} onNew={openNew} onNewNear={sheet.preload} />
      {selected.size > 0 ? (
        <TokensBulkBar rows={rows ?? []} selected={selected} onSelect={setSelected} onCopy={copySelected} />
      ) : (
        <TokensFilters url={url} isBusy={list.isFetching} onRefresh={refresh} />
      )}
      {list.error && <LoadError error={list.error} isBusy={list.isFetching} onRetry={refresh} />}
      {(rows || !list.error) && (
        <TokensTable
          rows={rows}
          isFiltered={[q, key, status, group].some(value => value !== '')}
          isRefreshing={list.isFetching && rows !== undefined}
          selection={{ ids: selected, onChange: setSelected }}
          openId={search.edit}
          onOpen={open}
          onClearSearch={() => url.setFilter(NO_FILTERS)}
        />
      )}
      <ListPager url={url} list={list.data} />
      <Suspense fallback={null}>
        {search.edit !== '' && (
          <sheet.Part
            key={search.edit}
            edit={search.edit}
            from={search.from}
            rows={rows ?? []}
            onOpen={open}
            onClose={close}
            onCreated={setFresh}
          />
        )}
        {fresh.length > 0 && <created.Part tokens={fresh} onClose={() => setFresh([])} />}
      </Suspense>
    </>
  )
}

/** Copies the selected tokens of this page, one a line. */
function useCopy(rows: readonly Token[] | undefined, selected: ReadonlySet<string>): () => void {
  const t = useText(text)
  const copy = async () => {
    const chosen = (rows ?? []).filter(token => selected.has(String(token.id)))
    if (chosen.length === 0) return toast('error', t('selectOne'))
    if (await copyText(copyLines(chosen))) toast('success', t('copied', { count: chosen.length }))
  }
  return () => void copy()
}
