import { useQuery } from '@tanstack/react-query'
import { Copy, Info, Plus, Users } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { revealKeys } from '#console/app/api/token-keys.ts'
import { ListPage, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { useListSelection } from '#console/app/list/list-selection.ts'
import { OperatorSteps } from '#console/app/onboarding/operator-steps.tsx'
import { useDismissed } from '#console/app/preferences/dismissed.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button, copyText, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { Token } from '#contract/entities/token.ts'
import { OVERLAP_HOURS } from '../contract/rotation.ts'
import { NO_FILTERS, TokensFilters } from './filters.tsx'
import { tokensQuery } from './queries.ts'
import { NEW, TokenSearch } from './search-params.ts'
import { TokensTable } from './table.tsx'
import { useScreenText } from './text.ts'
import { copyLines } from './token.ts'

const tokenSheet = lazyPart(async () => (await import('./sheet.tsx')).TokenSheet)
const bulkBar = lazyPart(async () => (await import('./bulk-bar.tsx')).TokensBulkBar)
const allTokens = lazyPart(async () => (await import('./all/page.tsx')).AllTokens)
const createdDialog = lazyPart(async () => (await import('./created-dialog.tsx')).CreatedDialog)

/** Own tokens, or those of all users. */
export function TokensPage() {
  const { all } = useListSearchParams(TokenSearch).search
  const isAdmin = hasRole(useUser(), 'admin')
  return all !== '' && isAdmin ? (
    <Suspense fallback={null}>
      <allTokens.Part />
    </Suspense>
  ) : (
    <OwnTokens hasOthers={isAdmin} />
  )
}

function OwnTokens({ hasOthers }: { readonly hasOthers: boolean }) {
  const url = useListSearchParams(TokenSearch)
  const { search, page, size, set } = url
  const { q, key, status, group } = search
  const filter = useMemo(() => ({ q, key, status, group }), [q, key, status, group])
  const list = useQuery(tokensQuery(filter, page, size))
  const [created, setCreated] = useState<readonly Token[]>([])

  const rows = list.data?.rows
  const total = list.data?.total
  const pageIds = useMemo(() => rows?.map(token => String(token.id)), [rows])
  const selection = useListSelection({ pageIds, total, filter })
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

  const t = useScreenText()
  const showRotated = useCallback(
    (token: Token) => {
      setCreated([token])
      toast('info', t('rotatedToast', { name: token.name, hours: OVERLAP_HOURS }))
    },
    [t],
  )
  const copySelected = useCopySelected(rows, selection.ids)
  const [isWarningClosed, setWarningClosed] = useDismissed('token-warning')
  return (
    <>
      <ListPage
        title={t('title')}
        actions={
          <>
            {isWarningClosed && (
              <IconButton label={t('showWarning')} icon={Info} onClick={() => setWarningClosed(false)} />
            )}
            {hasOthers && (
              <Button
                icon={Users}
                className="max-sm:gap-0 max-sm:px-2.5"
                onPointerEnter={allTokens.preload}
                onClick={() => set({ ...NO_FILTERS, all: '1' })}
              >
                <span className="max-sm:sr-only">{t('allUsers')}</span>
              </Button>
            )}
            <Button
              icon={Copy}
              className="max-sm:gap-0 max-sm:px-2.5"
              disabled={selection.isAll}
              onClick={copySelected}
            >
              <span className="max-sm:sr-only">{t('copySelected')}</span>
            </Button>
            <Button
              variant="primary"
              icon={Plus}
              onPointerEnter={tokenSheet.preload}
              onFocus={tokenSheet.preload}
              onClick={openNew}
            >
              {t('add')}
            </Button>
          </>
        }
        notice={
          <>
            <OperatorSteps isFolded />
            {!isWarningClosed && <QuotaWarning onClose={() => setWarningClosed(true)} />}
          </>
        }
        toolbar={
          selection.count > 0 ? (
            <Suspense fallback={<div className="mb-3 h-11" />}>
              <bulkBar.Part
                rows={rows ?? []}
                filter={filter}
                selection={selection}
                onRecount={async () => (await list.refetch()).data?.total}
                onCopy={copySelected}
              />
            </Suspense>
          ) : (
            <TokensFilters url={url} isBusy={list.isFetching} onRefresh={refresh} />
          )
        }
        url={url}
        list={list}
        onRefresh={refresh}
      >
        <TokensTable
          rows={rows}
          isFiltered={[q, key, status, group].some(value => value !== '')}
          isRefreshing={list.isFetching && rows !== undefined}
          selection={{ ids: selection.ids, onChange: selection.select }}
          openId={search.edit}
          onOpen={open}
          onRotated={showRotated}
          onClearSearch={() => url.setFilter(NO_FILTERS)}
        />
      </ListPage>
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
    const tokens = await revealKeys(selectedTokens)
    if (tokens && (await copyText(copyLines(tokens))))
      toast('success', t('copied', { count: selectedTokens.length }))
  }
  return () => void copy()
}

/** Warns that tokens limit usage only roughly. */
function QuotaWarning({ onClose }: { readonly onClose: () => void }) {
  const t = useScreenText()
  return (
    <div className="mb-4">
      <Banner tone="info" onClose={onClose}>
        {t('warning')}
      </Banner>
    </div>
  )
}
