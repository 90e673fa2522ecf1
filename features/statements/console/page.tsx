import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Download, Printer, ReceiptText } from 'lucide-react'
import { Suspense } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime, useMoney } from '#console/app/format/format.tsx'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { ListTable } from '#console/app/list/list-page.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { RangeFilter, useTimeRange } from '#console/app/time/range-filter.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Facet, FilterBar } from '#console/ui/data/filter/filters.tsx'
import { EmptyState, NoResults, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useWindowName } from '#console/ui/text/window-name.ts'
import { TRANSACTION_KINDS } from '#contract/enums.ts'
import type { BalanceTransaction, Statement } from '../contract.ts'
import { useTransactionCard, useTransactionColumns } from './columns.tsx'
import { FocusButton } from './focus-button.tsx'
import { dayOf, monthAround } from './period.ts'
import { statementQuery } from './queries.ts'
import { StatementSearch } from './search-params.ts'
import { useScreenText } from './text.ts'
import { Totals } from './totals.tsx'

const bill = lazyPart(async () => (await import('./bill.tsx')).Bill)

const transactionId = ({ id }: BalanceTransaction): string => id

export function StatementPage() {
  const t = useScreenText()
  const search = useSearchParams(StatementSearch)
  const set = useSetSearchParams(StatementSearch)
  const range = useTimeRange(search, 'month')
  const query = useQuery(statementQuery(search.user, range.span))
  const download = useCsvDownload()
  const { data: statement, error } = query
  // Administrators see the log rows of all users.
  const username = hasRole(useUser(), 'admin') ? statement?.username : undefined
  const columns = useTransactionColumns(username)
  const card = useTransactionCard(username)
  const { kind } = search
  useWindowName(search.user === '' ? undefined : statement?.username)
  const showMonth = (by: number) => {
    const { start, end } = monthAround(range.span.start, by)
    set({ from: String(start), to: String(end) })
  }
  const rows = statement?.transactions.filter(transaction => kind === '' || transaction.kind === kind)
  return (
    <>
      <PageHeader title={statement && search.user ? t('titleOf', { user: statement.username }) : t('title')}>
        {search.view === '' && (
          <Button icon={Download} disabled={!statement} onClick={() => statement && download(statement)}>
            {t('download')}
          </Button>
        )}
        {search.user === '' && <FocusButton span={range.span} />}
        <Button icon={Printer} disabled={!statement} onClick={() => window.print()}>
          {t('print')}
        </Button>
      </PageHeader>
      {statement && <PrintedPeriod statement={statement} />}
      <FilterBar
        search={
          <>
            <IconButton label={t('previousMonth')} icon={ChevronLeft} onClick={() => showMonth(-1)} />
            <RangeFilter {...range} onChange={set} />
            <IconButton label={t('nextMonth')} icon={ChevronRight} onClick={() => showMonth(1)} />
          </>
        }
        active={kind === '' ? 0 : 1}
        onClear={() => set({ kind: '' })}
      >
        <SegmentedChoice
          label={t('view')}
          isLabelHidden
          value={search.view}
          options={[
            { value: '', label: t('transactions') },
            { value: 'bill', label: t('bill') },
          ]}
          onChange={view => set({ view })}
        />
        <KindFacet />
      </FilterBar>
      {error && <LoadError error={error} isBusy={query.isFetching} onRetry={() => void query.refetch()} />}
      {!error && search.view === 'bill' && (
        <Suspense fallback={<Skeleton className="h-80 w-full" />}>
          <bill.Part user={search.user} span={range.span} />
        </Suspense>
      )}
      {!error && search.view === '' && (
        <>
          <Totals statement={statement} />
          <ListTable
            table="statement"
            label={t('title')}
            columns={columns}
            rows={rows}
            rowId={transactionId}
            rowName={transaction => `${t(transaction.kind)} ${dayOf(transaction.created_at)}`}
            card={card}
            isRefreshing={query.isPlaceholderData}
            empty={<Empty isFiltered={kind !== ''} onClear={() => set({ kind: '' })} />}
          />
        </>
      )}
    </>
  )
}

/** Bills have no kinds. */
function KindFacet() {
  const t = useScreenText()
  const { kind, view } = useSearchParams(StatementSearch)
  const set = useSetSearchParams(StatementSearch)
  if (view === 'bill') return null
  return (
    <Facet
      label={t('kind')}
      options={TRANSACTION_KINDS.map(value => ({ value, label: t(value) }))}
      value={kind}
      onChange={picked => set({ kind: StatementSearch.shape.kind.parse(picked) })}
    />
  )
}

function Empty({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const t = useScreenText()
  return isFiltered ? (
    <NoResults title={t('noneFoundTitle')} text={t('noneFoundText')} clear={t('clear')} onClear={onClear} />
  ) : (
    <EmptyState icon={ReceiptText} title={t('emptyTitle')} text={t('emptyText')} />
  )
}

/** The period on paper, where the filters are not printed. */
function PrintedPeriod({
  statement: { username, start_timestamp, end_timestamp },
}: {
  readonly statement: Statement
}) {
  const t = useScreenText()
  const period = { start: formatDateTime(start_timestamp), end: formatDateTime(end_timestamp - 1) }
  return (
    <p className="mb-4 hidden text-muted print:block">
      {username} · {t('period', period)}
    </p>
  )
}

/** Downloads a statement as CSV, with amounts in the unit that the console shows. */
function useCsvDownload(): (statement: Statement) => void {
  const t = useScreenText()
  const { quotaPerUnit, isInCurrency } = useMoney()
  const unit = isInCurrency ? ' (USD)' : ''
  const amount = (quota: number) => (isInCurrency ? quota / quotaPerUnit : quota)
  return ({ username, start_timestamp, end_timestamp, transactions, opening, closing }) => {
    const head = [t('time'), t('kind'), t('detail'), `${t('amount')}${unit}`, `${t('balance')}${unit}`]
    const rows = transactions.map(({ kind, created_at, requests, detail, amount: changed, balance }) => [
      kind === 'charge' ? dayOf(created_at) : formatDateTime(created_at),
      t(kind),
      kind === 'charge' ? t('requestCount', { count: String(requests) }) : detail,
      amount(changed),
      amount(balance),
    ])
    const first = [formatDateTime(start_timestamp), t('opening'), '', '', amount(opening)]
    const last = [formatDateTime(end_timestamp - 1), t('closing'), '', '', amount(closing)]
    const name = `${t('file')} ${username} ${dayOf(start_timestamp)} ${dayOf(end_timestamp - 1)}.csv`
    downloadText(name, toCsv([head, last, ...rows, first]), 'text/csv')
  }
}
