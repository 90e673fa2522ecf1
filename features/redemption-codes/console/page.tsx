import { useQuery } from '@tanstack/react-query'
import { Copy, Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { ListPage, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { useListSelection } from '#console/app/list/list-selection.ts'
import { Button, copyText } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { CodesBulkBar } from './actions.tsx'
import { copyLines } from './code.ts'
import { CodesFilters } from './filters.tsx'
import { type CodeListPage, codesQuery } from './queries.ts'
import { NEW, RedemptionSearch } from './search-params.ts'
import { CodesTable } from './table.tsx'
import { useScreenText } from './text.ts'

const codeSheet = lazyPart(async () => (await import('./sheet.tsx')).CodeSheet)
const createdDialog = lazyPart(async () => (await import('./created-dialog.tsx')).CreatedDialog)

interface CreatedCodes {
  readonly name: string
  readonly codes: readonly string[]
}

export function RedemptionPage() {
  const t = useScreenText()
  const url = useListSearchParams(RedemptionSearch)
  const { search, page, size, set } = url
  const filter = useMemo(() => ({ q: search.q, status: search.status }), [search.q, search.status])
  const list = useQuery(codesQuery(filter, page, size))
  const [created, setCreated] = useState<CreatedCodes>()
  const rows = list.data?.rows
  const pageIds = useMemo(() => rows?.map(code => String(code.id)), [rows])
  const selection = useListSelection({ pageIds, total: list.data?.total, filter })
  const selectedCodes = (rows ?? []).filter(code => selection.ids.has(String(code.id)))

  const open = useCallback((edit: string) => set({ edit }, { push: true }), [set])
  const openNew = useCallback(() => open(NEW), [open])
  const close = useCallback((leavesForm = false) => set({ edit: '' }, { leavesForm }), [set])
  const refresh = useCallback(() => void list.refetch(), [list.refetch])
  useListPages({
    url,
    total: list.data?.total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: at => codesQuery(filter, at, size),
    onRefresh: refresh,
    onNew: openNew,
  })

  const copySelected = async () => {
    if (selectedCodes.length === 0) return toast('error', t('selectOne'))
    if (await copyText(copyLines(selectedCodes)))
      toast('success', t('copied', { count: selectedCodes.length }))
  }

  return (
    <>
      <ListPage
        title={t('title')}
        actions={
          <HeaderActions
            list={list.data}
            hasFailed={list.isError}
            onCopy={selection.isAll ? undefined : () => void copySelected()}
            onNew={openNew}
          />
        }
        toolbar={
          selection.count > 0 ? (
            <CodesBulkBar
              codes={selectedCodes}
              filter={filter}
              selection={selection}
              onRecount={async () => (await list.refetch()).data?.total}
              onCopy={() => void copySelected()}
            />
          ) : (
            <CodesFilters url={url} isBusy={list.isFetching} onRefresh={refresh} />
          )
        }
        url={url}
        list={list}
        onRefresh={refresh}
      >
        <CodesTable
          rows={rows}
          isFiltered={search.q !== '' || search.status !== ''}
          isRefreshing={list.isFetching && rows !== undefined}
          selection={{ ids: selection.ids, onChange: selection.select }}
          openId={search.edit}
          onOpen={open}
          onClearSearch={() => url.setFilter({ q: '', status: '' })}
        />
      </ListPage>
      <Suspense fallback={null}>
        {search.edit !== '' && (
          <codeSheet.Part
            key={search.edit}
            edit={search.edit}
            rows={rows ?? []}
            onOpen={open}
            onClose={close}
            onCreated={setCreated}
          />
        )}
        {created && <createdDialog.Part {...created} onClose={() => setCreated(undefined)} />}
      </Suspense>
    </>
  )
}

interface HeaderActionsProps {
  readonly list: CodeListPage | undefined
  readonly hasFailed: boolean
  /** Undefined while more is selected than the page shows. */
  readonly onCopy: (() => void) | undefined
  readonly onNew: () => void
}

/** The total of the unused codes and the two main actions. */
function HeaderActions({ list, hasFailed, onCopy, onNew }: HeaderActionsProps) {
  const t = useScreenText()
  const { money, language } = useMoney()
  return (
    <>
      {list?.unusedCount !== 0 && !hasFailed && (
        <span className="mr-2 w-full text-small text-muted tabular sm:w-auto">
          {list ? (
            t('unusedSum', {
              count: formatNumber(list.unusedCount, language),
              amount: money(list.unusedQuota),
            })
          ) : (
            <Skeleton className="h-5 w-44" />
          )}
        </span>
      )}
      <Button icon={Copy} disabled={!onCopy} onClick={onCopy}>
        {t('copySelected')}
      </Button>
      <Button
        variant="primary"
        icon={Plus}
        onPointerEnter={codeSheet.preload}
        onFocus={codeSheet.preload}
        onClick={onNew}
      >
        {t('add')}
      </Button>
    </>
  )
}
