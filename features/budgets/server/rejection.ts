import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { type BothLanguages, sameInBoth, toStoredText } from '#server/core/language.ts'
import { type AmountFormat, formatQuota } from '#server/core/money.ts'
import type { Services } from '#server/feature.ts'
import type { BudgetExcess } from '#server/ledger/ledger-command.ts'
import { RateLimitState } from '#server/provider-kit/error-kind.ts'
import type { Period } from '../contract.ts'
import type { FoundBend } from './bends.ts'
import type { BudgetRow, PaidBudgetRow } from './queries/budgets.ts'
import { type BudgetWindow, resetOf } from './windows.ts'

interface ExceededBudget {
  readonly budget: BudgetRow
  readonly window: BudgetWindow
  /** The rule that leaves the model only a part of it. */
  readonly bend?: FoundBend | undefined
}

/** The client reads it only when the other model cannot serve. */
const partText = ({ bend_percent: percent }: BudgetRow, { from, to }: FoundBend): BothLanguages => ({
  zh: `中可用于 ${from} 的 ${percent}%（之后替换为 ${to}，但此处不可用）`,
  en: `, of which ${percent} % are for ${from} before ${to} replaces it, which cannot serve here,`,
})

/** 429 `budget_exceeded`: names the budget, its amount, what is left and when it resets. */
export function budgetExceeded(
  { budget, window, bend }: ExceededBudget,
  { limit, taken, needed, oldest }: BudgetExcess,
  format: AmountFormat & { readonly subject: BothLanguages },
): GatewayError {
  const now = nowSeconds()
  const resetsAt = resetOf(budget, window, oldest)
  const name = nameOf(budget, format.subject)
  const [most, used, least] = [limit, taken, needed].map(amount => formatAmount(budget, amount, format))
  const reset = resetText(budget, resetsAt)
  // What a request may use follows from the longest answer that it allows.
  const isLowered = budget.unit !== 'requests' && taken < limit
  const part = bend ? partText(budget, bend) : sameInBoth('')
  return new GatewayError(
    'budget_exceeded',
    {
      zh: `${name.zh}${part.zh}为 ${most?.zh}，已使用和预留 ${used?.zh}，本次请求最多需要 ${least?.zh}；${reset.zh}${isLowered ? '。减小 max_tokens 可降低所需用量' : ''}`,
      en: `${name.en}${part.en} is ${most?.en}: ${used?.en} are used or reserved, and the request may need ${least?.en}; ${reset.en}${isLowered ? '; a lower max_tokens needs less' : ''}`,
    },
    {
      budgetOf: { kind: budget.subject, id: budget.subject_id },
      bend: bend?.isReplaceable
        ? { ...bend, budgetId: budget.id, percent: budget.bend_percent, budget: toStoredText(name) }
        : undefined,
      retryAfterSeconds: resetsAt === undefined ? undefined : Math.max(resetsAt - now, 1),
      cause: new RateLimitState({
        counted: budget.unit,
        limit,
        remaining: Math.max(limit - taken, 0),
        resetsAt,
      }),
    },
  )
}

const PERIOD_NAMES: Readonly<Record<Period, BothLanguages>> = {
  none: { zh: '总预算', en: 'total' },
  rolling: { zh: '滚动预算', en: 'rolling' },
  hour: { zh: '每小时预算', en: 'hourly' },
  day: { zh: '每日预算', en: 'daily' },
  week: { zh: '每周预算', en: 'weekly' },
  month: { zh: '每月预算', en: 'monthly' },
}

/** An organisation is an account as a user is. */
const ACCOUNT_NAMES: Readonly<Record<PaidBudgetRow['kind'], BothLanguages>> = {
  person: { zh: '用户', en: 'user' },
  organization: { zh: '组织', en: 'organisation' },
}

/** What messages call the subject of a budget. */
export function nameOfSubject(
  { subject, kind }: Pick<PaidBudgetRow, 'subject' | 'kind'>,
  find: Services['budgetSubject'],
): BothLanguages {
  if (subject === 'user') return ACCOUNT_NAMES[kind]
  return subject === 'token' ? { zh: '令牌', en: 'token' } : (find(subject)?.name ?? sameInBoth(subject))
}

/** By its own name, or as `the monthly budget of the token`. */
export function nameOf(
  { name, period, hours, model, group }: BudgetRow,
  subject: BothLanguages,
): BothLanguages {
  if (name !== '') return { zh: `预算“${name}”`, en: `the budget "${name}"` }
  const window =
    period === 'rolling' ? { zh: `${hours} 小时滚动预算`, en: `${hours}-hour` } : PERIOD_NAMES[period]
  const scope = [model, group].filter(Boolean).join(', ')
  return {
    zh: `该${subject.zh}的${window.zh}${scope && `（${scope}）`}`,
    en: `the ${window.en} budget of the ${subject.en}${scope && ` for ${scope}`}`,
  }
}

export function formatAmount(
  { unit }: Pick<BudgetRow, 'unit'>,
  amount: number,
  format: AmountFormat,
): BothLanguages {
  if (unit === 'quota') return formatQuota(amount, format)
  return unit === 'tokens'
    ? { zh: `${amount} Token`, en: `${amount} tokens` }
    : { zh: `${amount} 次请求`, en: `${amount} requests` }
}

const MS_PER_SECOND = 1000

function resetText({ period, time_zone }: BudgetRow, resetsAt: number | undefined): BothLanguages {
  if (period === 'none') return { zh: '该预算不会重置', en: 'it never resets' }
  if (resetsAt === undefined) return { zh: '本次请求超过整个预算', en: 'the request alone exceeds it' }
  const time = sameInBoth(formatTime(resetsAt, time_zone))
  return period === 'rolling'
    ? { zh: `最早的用量于 ${time.zh} 释放`, en: `its oldest use ends at ${time.en}` }
    : { zh: `${time.zh} 重置`, en: `it resets at ${time.en}` }
}

/** Such as `2026-12-01 00:00 Asia/Shanghai`. */
function formatTime(seconds: number, zone: string): string {
  const timeZone = zone || 'UTC'
  const style = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const
  return `${new Intl.DateTimeFormat('sv-SE', style).format(seconds * MS_PER_SECOND)} ${timeZone}`
}
