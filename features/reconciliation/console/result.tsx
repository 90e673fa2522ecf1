import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { formatDollars, formatNumber } from '#console/app/format/format.tsx'
import { downloadFile } from '#console/app/list/csv.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { Reconciliation } from '../contract.ts'
import { Amount, formatPercent, periodOf, sourceOf, toDate } from './amounts.tsx'
import { fetchCsv } from './queries.ts'
import { ResultTable } from './result-table.tsx'
import { useReconciliationText } from './text.ts'

interface ReconciliationResultProps {
  readonly reconciliation: Reconciliation
  /** The reader has just asked for it, so it is moved into view. */
  readonly takesFocus: boolean
  readonly onClose: () => void
}

type Grouping = 'model' | 'day'

/** The total, what explains the difference, and a table by model or day. */
export function ReconciliationResult({ reconciliation, takesFocus, onClose }: ReconciliationResultProps) {
  const t = useReconciliationText()
  const [by, setBy] = useState<Grouping>('model')
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (takesFocus) section.current?.focus()
  }, [takesFocus])
  const { channels, files } = reconciliation
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={t('result')}
      className="grid scroll-mt-20 grid-cols-1 gap-4 outline-none"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium break-words">{sourceOf(reconciliation, t('balance'))}</h2>
          <p className="text-small break-words text-muted">
            {periodOf(reconciliation)}
            {files.length > 0 && ' UTC'}
            {' · '}
            {t('account', { names: channels.map(({ name }) => name).join(', ') })}
          </p>
        </div>
        <IconButton label={t('close')} icon={X} onClick={onClose} />
      </div>
      {reconciliation.balances && <Balances balances={reconciliation.balances} />}
      <Totals reconciliation={reconciliation} />
      <Causes causes={reconciliation.causes} isOff={reconciliation.total.is_marked} />
      <div className="flex items-center justify-between gap-2">
        <SegmentedChoice
          label={t('view')}
          isLabelHidden
          value={by}
          onChange={setBy}
          options={[
            { value: 'model', label: t('byModel') },
            { value: 'day', label: t('byDay') },
          ]}
        />
        <CsvButton reconciliation={reconciliation} by={by} />
      </div>
      <ResultTable reconciliation={reconciliation} by={by} />
    </section>
  )
}

interface BalancesProps {
  readonly balances: NonNullable<Reconciliation['balances']>
}

function Balances({ balances: { first_balance, second_balance, top_ups } }: BalancesProps) {
  const t = useReconciliationText()
  const language = useLanguage()
  const money = (dollars: number) => formatDollars(dollars, language)
  return (
    <p className="text-small tabular">
      {t('balanceResult', {
        first: money(first_balance),
        second: money(second_balance),
        topUps: money(top_ups),
      })}
    </p>
  )
}

function Totals({ reconciliation: { total, balances } }: { readonly reconciliation: Reconciliation }) {
  const t = useReconciliationText()
  const language = useLanguage()
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <StatCard label={t(balances ? 'charged' : 'billed')} value={<Amount nanos={total.billed_nanos} />} />
      <StatCard label={t('computed')} value={<Amount nanos={total.computed_nanos} />} />
      <StatCard
        label={t('difference')}
        value={<Amount nanos={total.difference_nanos} isSigned />}
        note={formatPercent(total.difference_percent)}
      />
      <StatCard
        label={t('requests')}
        value={formatNumber(total.requests, language)}
        note={`${t('unknownCost')}: ${formatNumber(total.unknown_cost_requests, language)}`}
      />
    </dl>
  )
}

interface CausesProps {
  readonly causes: Reconciliation['causes']
  readonly isOff: boolean
}

function Causes({ causes, isOff }: CausesProps) {
  const t = useReconciliationText()
  if (causes.length === 0 && !isOff) return null
  return (
    <div className="rounded-card border border-line bg-surface p-4">
      <h3 className="font-medium">{t('causes')}</h3>
      {causes.length === 0 ? (
        <p className="mt-2 text-small text-muted">{t('noCauses')}</p>
      ) : (
        <ul className="mt-2 grid list-disc gap-1.5 pl-5 text-small">
          {causes.map(({ code, message }) => (
            <li key={code} className="break-words">
              {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface CsvButtonProps {
  readonly reconciliation: Reconciliation
  readonly by: Grouping
}

function CsvButton({ reconciliation: { id, start_timestamp, end_timestamp }, by }: CsvButtonProps) {
  const t = useReconciliationText()
  const [isBusy, setBusy] = useState(false)
  const days = [start_timestamp, end_timestamp - 1].map(toDate).join('-to-')
  const save = async () => {
    setBusy(true)
    try {
      downloadFile(`reconciliation-by-${by}-${days}.csv`, await fetchCsv(id, by))
    } catch (error) {
      toast('error', errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return <IconButton label={t('exportCsv')} icon={Download} isBusy={isBusy} onClick={() => void save()} />
}
