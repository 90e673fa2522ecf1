import { useQuery } from '@tanstack/react-query'
import { Copy, Info, Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import type { Token } from '#contract/tokens.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { ListPagination, useListPages } from '../../app/list/list-pages.tsx'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { useDismissed } from '../../app/preferences/dismissed.ts'
import { Button, copyText, IconButton } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { TokensBulkBar } from './actions.tsx'
import { NO_FILTERS, TokensFilters } from './filters.tsx'
import { tokensQuery } from './queries.ts'
import { NEW, TokenSearch } from './search-params.ts'
import { TokensTable } from './table.tsx'
import { useScreenText } from './text.ts'
import { copyLines } from './token.ts'

const tokenSheet = lazyPart(async () => (await import('./sheet.tsx')).TokenSheet)
const createdDialog = lazyPart(async () => (await import('./created-dialog.tsx')).CreatedDialog)

const NONE_SELECTED: ReadonlySet<string> = new Set()

export function TokensPage() {
  const url = useListSearchParams(TokenSearch)
  const { search, page, size, set } = url
  const { q, key, status, group } = search
  const filter = useMemo(() => ({ q, key, status, group }), [q, key, status, group])
  const list = useQuery(tokensQuery(filter, page, size))
  const [selected, setSelected] = useState(NONE_SELECTED)
  const [created, setCreated] = useState<readonly Token[]>([])

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

  const copySelected = useCopySelected(rows, selected)
  return (
    <>
      <TokensHeader total={total} onCopy={copySelected} onNew={openNew} onNewIntent={tokenSheet.preload} />
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
      <ListPagination url={url} list={list.data} />
      <Suspense fallback={null}>
        {search.edit !== '' && (
          <tokenSheet.Part
            key={search.edit}
            edit={search.edit}
            from={search.from}
            rows={rows ?? []}
            onOpen={open}
            onClose={close}
            onCreated={setCreated}
          />
        )}
        {created.length > 0 && <createdDialog.Part tokens={created} onClose={() => setCreated([])} />}
      </Suspense>
    </>
  )
}

/** Copies the selected tokens of this page, one per line. */
function useCopySelected(rows: readonly Token[] | undefined, selected: ReadonlySet<string>): () => void {
  const t = useScreenText()
  const copy = async () => {
    const selectedTokens = (rows ?? []).filter(token => selected.has(String(token.id)))
    if (selectedTokens.length === 0) return toast('error', t('selectOne'))
    if (await copyText(copyLines(selectedTokens)))
      toast('success', t('copied', { count: selectedTokens.length }))
  }
  return () => void copy()
}

interface TokensHeaderProps {
  readonly total: number | undefined
  readonly onCopy: () => void
  readonly onNew: () => void
  /** Called when the pointer or the focus reaches the button, to preload the sheet. */
  readonly onNewIntent: () => void
}

/** Title, the two main actions, and the warning about quotas until it is dismissed. */
function TokensHeader({ total, onCopy, onNew, onNewIntent }: TokensHeaderProps) {
  const t = useScreenText()
  const [isClosed, setClosed] = useDismissed('token-warning')
  return (
    <>
      <PageHeader title={t('title')} count={total === undefined ? undefined : String(total)}>
        {isClosed && <IconButton label={t('showWarning')} icon={Info} onClick={() => setClosed(false)} />}
        <Button icon={Copy} className="max-sm:gap-0 max-sm:px-2.5" onClick={onCopy}>
          <span className="max-sm:sr-only">{t('copySelected')}</span>
        </Button>
        <Button
          variant="primary"
          icon={Plus}
          onPointerEnter={onNewIntent}
          onFocus={onNewIntent}
          onClick={onNew}
        >
          {t('add')}
        </Button>
      </PageHeader>
      {!isClosed && (
        <div className="mb-4">
          <Banner tone="warning" onClose={() => setClosed(true)}>
            {t('warning')}
          </Banner>
        </div>
      )}
    </>
  )
}
