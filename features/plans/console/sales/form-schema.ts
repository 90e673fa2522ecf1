import { PlanDraft, type PlanWindow, type SoldPlan } from '../../contract/plans.ts'

/** A window as it is typed. */
export interface WindowValues {
  /** Keeps rows apart while they are edited. */
  readonly key: number
  readonly period: PlanWindow['period']
  readonly hours: string
  readonly unit: PlanWindow['unit']
  readonly amount: string
}

/** Form values: numbers as typed. */
export interface PlanValues
  extends Pick<
    PlanDraft,
    'name' | 'description' | 'period_unit' | 'renews' | 'when_used_up' | 'is_offered' | 'groups' | 'models'
  > {
  readonly price: string
  readonly period_count: string
  readonly trial_days: string
  readonly grace_days: string
  readonly carry_over_percent: string
  readonly windows: readonly WindowValues[]
}

/** Hours of a rolling window, to begin with. */
const HOURS_DEFAULT = '5'

export const newWindow = (key: number): WindowValues => ({
  key,
  period: key === 0 ? 'month' : 'rolling',
  hours: HOURS_DEFAULT,
  unit: 'quota',
  amount: '',
})

/** A monthly plan with a monthly window, whose use beyond it is paid from the balance. */
const NEW_PLAN: PlanValues = {
  name: '',
  description: '',
  price: '',
  period_unit: 'month',
  period_count: '1',
  trial_days: '0',
  grace_days: '3',
  renews: true,
  windows: [newWindow(0)],
  carry_over_percent: '0',
  groups: [],
  models: [],
  when_used_up: 'wallet',
  is_offered: true,
}

export function toValues(plan: SoldPlan | undefined): PlanValues {
  if (!plan) return NEW_PLAN
  const { id: _id, created_time: _created, subscribers: _subscribers, unused_codes: _codes, ...fields } = plan
  return {
    ...fields,
    price: String(plan.price),
    period_count: String(plan.period_count),
    trial_days: String(plan.trial_days),
    grace_days: String(plan.grace_days),
    carry_over_percent: String(plan.carry_over_percent),
    windows: plan.windows.map(({ period, hours, unit, amount }, key) => ({
      key,
      period,
      unit,
      hours: hours > 0 ? String(hours) : HOURS_DEFAULT,
      amount: String(amount),
    })),
  }
}

const NUMBERS = ['period_count', 'trial_days', 'grace_days', 'carry_over_percent'] as const

/** The draft that the values describe; undefined while something is missing or wrong. */
export function toDraft(values: PlanValues): PlanDraft | undefined {
  const numbers = Object.fromEntries(NUMBERS.map(name => [name, toNumber(values[name])]))
  const windows = values.windows.map(({ period, hours, unit, amount }) => ({
    period,
    unit,
    hours: period === 'rolling' ? toNumber(hours) : 0,
    amount: toNumber(amount),
  }))
  const parsed = PlanDraft.safeParse({ ...values, ...numbers, price: toNumber(values.price), windows })
  return parsed.success && areDistinct(parsed.data) ? parsed.data : undefined
}

const areDistinct = ({ windows }: PlanDraft): boolean =>
  windows.every(({ period, hours }) => period !== 'rolling' || hours > 0) &&
  new Set(windows.map(({ period, hours, unit }) => `${period} ${hours} ${unit}`)).size === windows.length

const toNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))
