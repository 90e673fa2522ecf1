import { useQuery } from '@tanstack/react-query'
import { Download, ReceiptText } from 'lucide-react'
import { errorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { formatDateTime, localTimeZone, useMoney } from '#console/app/format/format.tsx'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { useSearchParams } from '#console/app/router/search-params.ts'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { BILL_LINK_DAYS, type BillLine, type Bill as BillOfPeriod } from '../contract.ts'
import { type GroupLine, groupLines } from './bill-lines.ts'
import { BillTable, GroupChoice, useGroupName, useGroupTitle } from './bill-table.tsx'
import { dayOf } from './period.ts'
import { billQuery, createLink, groupsQuery } from './queries.ts'
import { StatementSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

interface BillProps {
  /** Empty for the reader's own. */
  readonly user: string
  readonly span: TimeSpan
}

/** The charges of a period by model, under the name of the issuer: to print, as CSV, or to share by link. */
export function Bill({ user, span }: BillProps) {
  const { data: bill, error, isFetching, refetch } = useQuery(billQuery(user, span))
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!bill) return <Skeleton className="h-80 w-full" />
  return (
    <article className="rounded-card border border-line bg-surface p-5 sm:p-8 print:border-0 print:p-0">
      <BillHead bill={bill} />
      <BillBody bill={bill} user={user} />
    </article>
  )
}

interface BillBodyProps {
  readonly bill: BillOfPeriod
  readonly user: string
}

/** The lines by the chosen group. Those by model are the bill's own. */
function BillBody({ bill, user }: BillBodyProps) {
  const t = useScreenText()
  const { by, key } = useSearchParams(StatementSearch)
  const grouping = { by, key: by === 'tag' ? key : '' }
  const { data: groups, error, isFetching, refetch } = useQuery(groupsQuery(user, bill, grouping))
  const names = { nameOf: useGroupName(by), other: t('otherCharges') }
  const title = useGroupTitle(grouping)
  const found = groups && groupLines(groups, bill, names)
  const lines = by === 'model' ? bill.lines.map(line => toModelLine(line, names.other)) : found?.charges
  return (
    <>
      <GroupChoice hasMembers={bill.is_organization} />
      {error && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {!error && !found && <Skeleton className="h-60 w-full" />}
      {found && lines && (
        <>
          {lines.length + found.covered.length === 0 ? (
            <EmptyState icon={ReceiptText} title={t('emptyTitle')} text={t('emptyText')} />
          ) : (
            <BillTable title={title} lines={lines} covered={found.covered} total={bill.charged} />
          )}
          <p className="mt-4 text-caption text-muted">{t('billNote', { zone: localTimeZone() })}</p>
          <BillActions bill={bill} user={user} title={title} lines={[...lines, ...found.covered]} />
        </>
      )}
    </>
  )
}

const toModelLine = (line: BillLine, other: string): GroupLine => ({
  id: line.model,
  name: line.model === '' ? other : line.model,
  plan: '',
  requests: line.requests,
  inputTokens: line.input_tokens,
  outputTokens: line.output_tokens,
  amount: line.amount,
})

function BillHead({ bill }: { readonly bill: BillOfPeriod }) {
  const t = useScreenText()
  const { issuer, number, username, user_id, start_timestamp, end_timestamp } = bill
  const [name = '', ...address] = issuer
  const facts = [
    ...(number === '' ? [] : [{ label: t('billNumber'), value: number }]),
    { label: t('billTo'), value: <PrivateText>{`${username} (#${user_id})`}</PrivateText> },
    { label: t('billPeriod'), value: `${dayOf(start_timestamp)} – ${dayOf(end_timestamp - 1)}` },
  ]
  return (
    <header className="mb-6 flex flex-wrap justify-between gap-x-8 gap-y-4">
      <div>
        <p className="text-section font-semibold">{name}</p>
        {address.map(line => (
          <p key={line} className="text-small text-muted">
            {line}
          </p>
        ))}
      </div>
      <dl className="grid content-start gap-1 text-small">
        {facts.map(({ label, value }) => (
          <div key={label} className="flex gap-3">
            <dt className="w-20 text-muted">{label}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
      </dl>
    </header>
  )
}

const MONTH_LENGTH = '2026-11'.length

interface BillActionsProps extends BillBodyProps, CsvContent {}

function BillActions({ bill, user, title, lines }: BillActionsProps) {
  const t = useScreenText()
  const status = useStatus()
  const download = useCsv(bill, { title, lines })
  const month = dayOf(bill.start_timestamp).slice(0, MONTH_LENGTH)
  const link = async () => {
    try {
      const { path } = await createLink(user, month)
      return serverAddress(status) + path
    } catch (error) {
      toast('error', errorText(error))
      return undefined
    }
  }
  return (
    <footer className="mt-6 flex flex-wrap items-center gap-x-3 gap-y-2 print:hidden">
      <CopyButton text={link} label={t('copyBill', { month })} buttonText={t('copyBill', { month })} />
      <Button icon={Download} size="small" onClick={download}>
        {t('downloadBill')}
      </Button>
      <p className="text-caption text-muted">{t('billLinkNote', { count: BILL_LINK_DAYS })}</p>
    </footer>
  )
}

interface CsvContent {
  /** What the lines are of. */
  readonly title: string
  readonly lines: readonly GroupLine[]
}

/** The lines of the bill as CSV, in the unit that the console shows. */
function useCsv(bill: BillOfPeriod, { title, lines }: CsvContent): () => void {
  const t = useScreenText()
  const { quotaPerUnit, isInCurrency } = useMoney()
  const amount = (quota: number) => (isInCurrency ? quota / quotaPerUnit : quota)
  return () => {
    const { username, start_timestamp, end_timestamp, issuer, charged } = bill
    const until = end_timestamp - 1
    const unit = isInCurrency ? ' (USD)' : ''
    const head = [title, t('requests'), t('inputTokens'), t('outputTokens')]
    const rows = lines.map(({ name, plan, requests, inputTokens, outputTokens, amount: units }) => [
      ...[name, requests, inputTokens, outputTokens],
      ...(plan === '' ? [amount(units), ''] : [0, plan, amount(units)]),
    ])
    const csv = toCsv([
      [t('issuer'), issuer.join(', ')],
      [t('billTo'), username],
      [t('billPeriod'), formatDateTime(start_timestamp), formatDateTime(until), localTimeZone()],
      [],
      [...head, `${t('amount')}${unit}`, t('plan'), `${t('listPrice')}${unit}`],
      ...rows,
      [t('total'), '', '', '', amount(charged)],
    ])
    downloadText(`${t('bill')} ${username} ${dayOf(start_timestamp)} ${dayOf(until)}.csv`, csv, 'text/csv')
  }
}
