import { localTimeZone } from '#console/app/format/format.tsx'
import { type Budget, BudgetDraft, HOURS_MAX } from '../contract.ts'
import type { ShownSubject } from './queries.ts'

/** Form values: numbers as typed. */
export interface BudgetValues {
  readonly amount: string
  readonly period: Budget['period']
  readonly hours: string
  readonly unit: Budget['unit']
  readonly name: string
  readonly model: string
  readonly group: string
  readonly time_zone: string
  readonly warn_percent: string
  readonly bend_percent: string
  readonly bend_from: string
  readonly bend_to: string
  readonly bend_effort: Budget['bend_effort']
  readonly is_hard: boolean
  readonly is_enabled: boolean
}

/** Hours of a rolling window, to begin with. */
const HOURS_DEFAULT = '5'

/** A hard monthly budget of money, in the reader's zone. */
const NEW_BUDGET: BudgetValues = {
  amount: '',
  period: 'month',
  hours: HOURS_DEFAULT,
  unit: 'quota',
  name: '',
  model: '',
  group: '',
  time_zone: localTimeZone(),
  warn_percent: '80',
  bend_percent: '0',
  bend_from: '',
  bend_to: '',
  bend_effort: '',
  is_hard: true,
  is_enabled: true,
}

export function toValues(budget: Budget | undefined): BudgetValues {
  if (!budget) return NEW_BUDGET
  const { amount, hours, warn_percent, bend_percent } = budget
  return {
    ...pickKept(budget),
    amount: String(amount),
    hours: hours > 0 ? String(hours) : HOURS_DEFAULT,
    warn_percent: String(warn_percent),
    bend_percent: String(bend_percent),
  }
}

/** What is not a number. */
const pickKept = ({ period, unit, name, model, group, time_zone, is_hard, is_enabled, ...rest }: Budget) => ({
  ...{ period, unit, name, model, group, time_zone, is_hard, is_enabled },
  ...{ bend_from: rest.bend_from, bend_to: rest.bend_to, bend_effort: rest.bend_effort },
})

/** The draft that the values describe; undefined while one of the numbers is missing or wrong. */
export function toDraft(values: BudgetValues, subject: ShownSubject): BudgetDraft | undefined {
  const parsed = BudgetDraft.safeParse({
    ...values,
    ...subject,
    amount: toNumber(values.amount),
    hours: values.period === 'rolling' ? toNumber(values.hours) : 0,
    warn_percent: toNumber(values.warn_percent === '' ? '0' : values.warn_percent),
    bend_percent: toNumber(values.bend_percent === '' ? '0' : values.bend_percent),
  })
  if (!parsed.success || parsed.data.amount <= 0) return undefined
  return hasHours(parsed.data) && hasSubstitute(parsed.data) ? parsed.data : undefined
}

const hasSubstitute = ({ bend_percent, bend_to, bend_effort }: BudgetDraft): boolean =>
  bend_percent === 0 || bend_to !== '' || bend_effort !== ''

const hasHours = ({ period, hours }: BudgetDraft): boolean =>
  period !== 'rolling' || (hours >= 1 && hours <= HOURS_MAX)

const toNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))
