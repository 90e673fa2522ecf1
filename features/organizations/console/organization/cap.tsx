import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Meter, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { type Budget, boundsMonth } from '#features/budgets/contract.ts'
import { budgetsOfRowsQuery, type CapSubject } from '../queries.ts'
import { useScreenText } from './text.ts'

interface CapRow {
  readonly id: number
  /** What was used this month, shown where there is no cap. */
  readonly used_quota: number
}

/** Returns a cell that shows what a row has used of its monthly cap. One request finds those of all rows. */
export function useCapCell(subject: CapSubject['subject'], rows: readonly CapRow[] = []) {
  const { data } = useQuery(
    budgetsOfRowsQuery(
      subject,
      rows.map(({ id }) => id),
    ),
  )
  return useCallback(
    ({ id, used_quota }: CapRow) => (
      <CapUse
        used={used_quota}
        cap={data && findTightest(data.filter(({ subject_id }) => subject_id === id))}
      />
    ),
    [data],
  )
}

/** The lowest budget of all money of a month, null without one. */
const findTightest = (budgets: readonly Budget[]): Budget | null =>
  budgets.filter(boundsMonth).toSorted((a, b) => a.amount - b.amount)[0] ?? null

interface CapUseProps {
  /** Undefined until it is loaded. */
  readonly cap: Budget | null | undefined
  readonly used: number
}

function CapUse({ cap, used }: CapUseProps) {
  const t = useScreenText()
  const { money } = useMoney()
  if (cap === undefined) return <Skeleton className="h-4 w-32" />
  if (cap === null) return <span className="text-muted">{t('noCap', { used: money(used) })}</span>
  const counted = cap.used + cap.held
  const usage = t('usage', { used: money(counted), amount: money(cap.amount) })
  return (
    <span className="grid gap-1 sm:min-w-36">
      <span className="tabular whitespace-normal">{usage}</span>
      <Meter label={t('cap')} share={cap.amount === 0 ? 1 : counted / cap.amount} text={usage} />
    </span>
  )
}

/** The amount as typed, until then that of the cap, which may change in the section beside the form. */
export function useCapInput(cap: Budget | null) {
  const [typed, setTyped] = useState<string>()
  return [typed ?? (cap ? String(cap.amount) : ''), setTyped] as const
}

/** Quota units of a cap as typed; empty is none. Undefined when it is no whole number. */
export function toCapAmount(typed: string): number | undefined {
  const amount = Number(typed)
  return Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}

interface CapFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function CapField({ label, value, onChange }: CapFieldProps) {
  const t = useScreenText()
  const error = toCapAmount(value) === undefined ? t('capWrong') : undefined
  return (
    <Field label={label} help={t('capHelp')} error={error}>
      {control => <MoneyInput {...control} value={value} onChange={onChange} />}
    </Field>
  )
}
