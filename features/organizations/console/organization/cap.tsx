import { useQuery } from '@tanstack/react-query'
import { useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Meter, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { type CapSubject, capQuery } from '../queries.ts'
import { useScreenText } from './text.ts'

interface CapUseProps {
  readonly of: CapSubject
  /** What was used this month, shown where there is no cap. */
  readonly used: number
}

/** What is used of a monthly cap. */
export function CapUse({ of, used }: CapUseProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const { data: cap } = useQuery(capQuery(of))
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
