import { useQuery } from '@tanstack/react-query'
import { Download, ReceiptText } from 'lucide-react'
import { errorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { formatDateTime, formatNumber, localTimeZone, useMoney } from '#console/app/format/format.tsx'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { BILL_LINK_DAYS, type BillLine, type Bill as BillOfPeriod } from '../contract.ts'
import { dayOf } from './period.ts'
import { billQuery, createLink } from './queries.ts'
import { useScreenText } from './text.ts'

interface BillProps {
  /** Empty for the reader's own. */
  readonly user: string
  readonly span: TimeSpan
}

/** The charges of a period by model, under the name of the issuer: to print, as CSV, or to share by link. */
export function Bill({ user, span }: BillProps) {
  const t = useScreenText()
  const { data: bill, error, isFetching, refetch } = useQuery(billQuery(user, span))
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!bill) return <Skeleton className="h-80 w-full" />
  return (
    <article className="rounded-card border border-line bg-surface p-5 sm:p-8 print:border-0 print:p-0">
      <BillHead bill={bill} />
      {bill.lines.length === 0 ? (
        <EmptyState icon={ReceiptText} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <BillTable lines={bill.lines} total={bill.charged} />
      )}
      <p className="mt-4 text-caption text-muted">{t('billNote', { zone: localTimeZone() })}</p>
      <BillActions bill={bill} user={user} />
    </article>
  )
}

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

function BillActions({ bill, user }: { readonly bill: BillOfPeriod; readonly user: string }) {
  const t = useScreenText()
  const status = useStatus()
  const download = useCsv(bill)
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

const HEAD = 'py-2 pl-3 text-right font-medium'
const CELL = 'py-2 pl-3 text-right tabular'

function BillTable({ lines, total }: { readonly lines: readonly BillLine[]; readonly total: number }) {
  const t = useScreenText()
  const { exact, language } = useMoney()
  const number = (value: number) => formatNumber(value, language)
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-small">
        <thead className="border-b border-line-strong text-caption text-muted">
          <tr>
            <th scope="col" className="py-2 text-left font-medium">
              {t('model')}
            </th>
            {(['requests', 'inputTokens', 'outputTokens', 'amount'] as const).map(column => (
              <th key={column} scope="col" className={HEAD}>
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ model, requests, input_tokens, output_tokens, amount }) => (
            <tr key={model} className="border-b border-line">
              <th scope="row" className="py-2 text-left font-normal [overflow-wrap:anywhere]">
                {model === '' ? t('otherCharges') : model}
              </th>
              <td className={CELL}>{number(requests)}</td>
              <td className={CELL}>{number(input_tokens)}</td>
              <td className={CELL}>{number(output_tokens)}</td>
              <td className={CELL}>{exact(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot className="font-semibold">
          <tr>
            <th scope="row" colSpan={4} className="py-2 text-left">
              {t('total')}
            </th>
            <td className={CELL}>{exact(total)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** The lines of the bill as CSV, in the unit that the console shows. */
function useCsv(bill: BillOfPeriod): () => void {
  const t = useScreenText()
  const { quotaPerUnit, isInCurrency } = useMoney()
  const amount = (quota: number) => (isInCurrency ? quota / quotaPerUnit : quota)
  return () => {
    const { username, start_timestamp, end_timestamp, issuer, charged, lines } = bill
    const until = end_timestamp - 1
    const title = [t('model'), t('requests'), t('inputTokens'), t('outputTokens')]
    const rows = lines.map(line => [
      line.model === '' ? t('otherCharges') : line.model,
      line.requests,
      line.input_tokens,
      line.output_tokens,
      amount(line.amount),
    ])
    const csv = toCsv([
      [t('issuer'), issuer.join(', ')],
      [t('billTo'), username],
      [t('billPeriod'), formatDateTime(start_timestamp), formatDateTime(until), localTimeZone()],
      [],
      [...title, `${t('amount')}${isInCurrency ? ' (USD)' : ''}`],
      ...rows,
      [t('total'), '', '', '', amount(charged)],
    ])
    downloadText(`${t('bill')} ${username} ${dayOf(start_timestamp)} ${dayOf(until)}.csv`, csv, 'text/csv')
  }
}
