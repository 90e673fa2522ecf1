import { queryOptions, useQuery } from '@tanstack/react-query'
import { Printer, ReceiptText } from 'lucide-react'
import { call, plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { formatDateTime, formatNumber, timeZoneName } from '#console/app/format/format.tsx'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { LogEntry } from '../../contract/logs.ts'
import { getReceipt } from '../../contract/receipt-links.ts'
import { toRow } from '../entry.ts'
import { BillSection } from '../sheet/bill-section.tsx'
import { ReceiptSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

const receiptQuery = (link: string) =>
  queryOptions({
    queryKey: ['receipt', link],
    queryFn: ({ signal }) => call(getReceipt, { query: { link }, signal }),
    enabled: link !== '',
    retry: false,
  })

/** The receipt of one request, for whoever has its signed link: to read, to check and to print. */
export function ReceiptPage() {
  const t = useScreenText()
  const { link } = useSearchParams(ReceiptSearch)
  const { data: entry, error, isLoading } = useQuery(receiptQuery(link))
  return (
    <div className="mx-auto w-full max-w-180 py-4">
      <PageHeader title={t('title')}>
        {entry && (
          <span className="print:hidden">
            <Button icon={Printer} onClick={() => window.print()}>
              {t('print')}
            </Button>
          </span>
        )}
      </PageHeader>
      {entry ? (
        <Receipt entry={entry} />
      ) : isLoading ? (
        <Skeleton className="h-80 w-full" />
      ) : (
        <EmptyState
          icon={ReceiptText}
          title={t('missing')}
          text={error ? plainErrorText(error) : t('missingText')}
        />
      )}
    </div>
  )
}

function Receipt({ entry }: { readonly entry: LogEntry }) {
  const t = useScreenText()
  const language = useLanguage()
  const { system_name: issuer } = useStatus()
  const count = (value: number) => formatNumber(value, language)
  return (
    <article className="grid gap-6 rounded-card border border-line bg-surface p-5 print:border-0 print:p-0">
      <KeyValues
        items={[
          { label: t('issuer'), value: issuer },
          { label: t('user'), value: entry.username },
          { label: t('time'), value: `${formatDateTime(entry.created_at)} (${timeZoneName()})` },
          { label: t('model'), value: entry.model_name },
          { label: t('token'), value: entry.token_name || '-' },
          {
            label: t('tokens'),
            value: `${count(entry.prompt_tokens)} / ${count(entry.completion_tokens)}`,
          },
          { label: t('requestId'), value: entry.request_id },
        ]}
      />
      <section aria-label={t('cost')} className="grid gap-3">
        <h2 className="font-semibold">{t('cost')}</h2>
        <BillSection row={toRow(entry)} />
      </section>
    </article>
  )
}
