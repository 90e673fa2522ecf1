import { useQuery } from '@tanstack/react-query'
import { Download, ReceiptText } from 'lucide-react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime, formatNumber, localTimeZone, useMoney } from '#console/app/format/format.tsx'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import type { Statement } from '../contract.ts'
import { type BillLine, billLines } from './bill-lines.ts'
import { dayOf } from './period.ts'
import { modelsQuery } from './queries.ts'
import { useScreenText } from './text.ts'

interface BillProps {
  readonly statement: Statement
  /** Whether the reader looks at the bill of somebody else. */
  readonly isOfOther: boolean
}

/** The charges of a period by model, under the name of the issuer: to print, or as CSV. */
export function Bill({ statement, isOfOther }: BillProps) {
  const t = useScreenText()
  const query = useQuery(modelsQuery(statement, isOfOther))
  const { data: groups, error, isFetching, refetch } = query
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!groups) return <Skeleton className="h-80 w-full" />
  const lines = billLines(groups, statement)
  return (
    <article className="rounded-card border border-line bg-surface p-5 sm:p-8 print:border-0 print:p-0">
      <BillHead statement={statement} lines={lines} />
      {lines.length === 0 ? (
        <EmptyState icon={ReceiptText} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <BillTable lines={lines} total={statement.charged} />
      )}
      <p className="mt-4 text-caption text-muted">{t('billNote', { zone: localTimeZone() })}</p>
    </article>
  )
}

interface BillHeadProps {
  readonly statement: Statement
  readonly lines: readonly BillLine[]
}

function BillHead({ statement, lines }: BillHeadProps) {
  const t = useScreenText()
  const { issuer, username, user_id, start_timestamp, end_timestamp } = statement
  const [name = '', ...address] = issuer
  const download = useCsv(statement, lines)
  const facts = [
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
      <Button icon={Download} size="small" className="print:hidden" onClick={download}>
        {t('downloadBill')}
      </Button>
    </header>
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
          {lines.map(({ model, requests, inputTokens, outputTokens, amount }) => (
            <tr key={model} className="border-b border-line">
              <th scope="row" className="py-2 text-left font-normal [overflow-wrap:anywhere]">
                {model === '' ? t('otherCharges') : model}
              </th>
              <td className={CELL}>{number(requests)}</td>
              <td className={CELL}>{number(inputTokens)}</td>
              <td className={CELL}>{number(outputTokens)}</td>
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
function useCsv(statement: Statement, lines: readonly BillLine[]): () => void {
  const t = useScreenText()
  const { quotaPerUnit, isInCurrency } = useMoney()
  const amount = (quota: number) => (isInCurrency ? quota / quotaPerUnit : quota)
  return () => {
    const { username, start_timestamp, end_timestamp, issuer, charged } = statement
    const until = end_timestamp - 1
    const title = [t('model'), t('requests'), t('inputTokens'), t('outputTokens')]
    const rows = lines.map(line => [
      line.model === '' ? t('otherCharges') : line.model,
      line.requests,
      line.inputTokens,
      line.outputTokens,
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
