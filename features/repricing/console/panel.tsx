import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { nowSeconds } from '#console/app/format/format.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { useOptionText } from '#console/app/settings/options.ts'
import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, ProgressBar, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { REPRICE_OPTIONS, type RepriceState } from '../contract.ts'
import { RepriceOutcome } from './outcome.tsx'
import { repriceQuery, useCancelReprice, useStartReprice } from './queries.ts'
import { useRepriceText } from './text.ts'

const PERIODS = ['7', '30', '90'] as const
const DAY_SECONDS = 86_400
const PERCENT_INITIAL = '20'

/** Charges past requests again at the unsaved prices and group ratios, and shows what would have changed. */
export function RepricePanel() {
  const t = useRepriceText()
  const { data: state, error, isFetching, refetch } = useQuery(repriceQuery)
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-small text-muted">{t('help')}</p>
      <Drafts />
      {error && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {!error && !state && <Skeleton className="h-24 w-full" />}
      {state && <RepriceForm state={state} />}
    </div>
  )
}

/** Names the options whose unsaved values are tried. */
function Drafts() {
  const t = useRepriceText()
  const optionText = useOptionText()
  const { edits } = useOptionForm()
  const names = REPRICE_OPTIONS.filter(option => edits.some(({ key }) => key === option)).map(
    option => optionText(option).label,
  )
  return (
    <p className="text-small">
      {names.length === 0 ? t('noDrafts') : t('drafts', { options: names.join(', ') })}
    </p>
  )
}

function RepriceForm({ state }: { readonly state: RepriceState }) {
  const t = useRepriceText()
  const { edits } = useOptionForm()
  const start = useStartReprice()
  const cancel = useCancelReprice()
  const [days, setDays] = useState<(typeof PERIODS)[number]>('30')
  const [percent, setPercent] = useState(PERCENT_INITIAL)
  const limit = parseAmount(percent)
  const isRunning = state.status === 'running'
  const begin = () => {
    if (limit === undefined) return
    const until = nowSeconds() + 1
    const drafts = edits.filter(({ key }) => REPRICE_OPTIONS.some(option => option === key))
    start.mutate({
      options: Object.fromEntries(drafts.map(({ key, value }) => [key, value])),
      from: until - Number(days) * DAY_SECONDS,
      until,
      limit_percent: limit,
      limit_quota: 0,
    })
  }
  return (
    <>
      <div className="flex flex-wrap items-end gap-4">
        <SegmentedChoice
          label={t('period')}
          value={days}
          options={PERIODS.map(count => ({ value: count, label: t('days', { count }) }))}
          onChange={setDays}
        />
        <div className="w-full sm:w-80">
          <InputField
            label={t('limit')}
            error={limit === undefined ? t('limitBad') : undefined}
            inputMode="decimal"
            className="tabular"
            suffix="%"
            value={percent}
            onChange={event => setPercent(event.target.value)}
          />
        </div>
        {isRunning ? (
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            {t('cancel')}
          </Button>
        ) : (
          <Button variant="primary" isBusy={start.isPending} onClick={begin}>
            {t('start')}
          </Button>
        )}
      </div>
      {isRunning && <Progress share={state.share} />}
      {state.status === 'cancelled' && <p className="text-muted">{t('cancelled')}</p>}
      {state.status === 'failed' && <Banner tone="danger">{t('failed')}</Banner>}
      {state.result && <RepriceOutcome result={state.result} percent={limit ?? 0} />}
    </>
  )
}

function Progress({ share }: { readonly share: number }) {
  const t = useRepriceText()
  const words = t('running', { percent: Math.round(share * 100) })
  return (
    <div role="status" className="grid gap-1 text-small">
      <p className="tabular">{words}</p>
      <ProgressBar label={t('title')} share={share} text={words} />
    </div>
  )
}
