import type { ApiContext } from '#server/api/context.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { BILL_MODELS_MAX, type Bill, type BillLine } from '../contract.ts'
import { options } from '../options.ts'
import { billNumber, monthOf } from './bill-month.ts'
import { listModelCharges, type ModelCharges, sumCharges } from './queries.ts'

type BillContext = Pick<ApiContext, 'reader' | 'settings'>

/** `kind`: of the row of users. */
interface BilledAccount {
  readonly id: number
  readonly username: string
  readonly kind: string
}

/** The charges of a user in a period by model. */
export async function createBill(
  user: BilledAccount,
  period: TimeRange,
  { reader, settings }: BillContext,
): Promise<Bill> {
  const range = { userId: user.id, ...period }
  const charges = await sumCharges(reader, range)
  const models = await listModelCharges(reader, { ...range, limit: BILL_MODELS_MAX })
  const month = monthOf(period, settings.current().values.ReportingTimeZone)
  return {
    number: month === undefined ? '' : billNumber(month, user.id),
    user_id: user.id,
    username: user.username,
    start_timestamp: period.from,
    end_timestamp: period.until,
    issuer: issuerOf(settings),
    is_organization: user.kind === 'organization',
    charged: charges.amount,
    requests: charges.count,
    lines: toLines(models, charges),
  }
}

function issuerOf(settings: ApiContext['settings']): string[] {
  const { BillIssuer: lines } = settings.of(options)
  return lines.length > 0 ? [...lines] : [settings.current().values.SystemName]
}

/**
 * The last line has what the models leave of the charges, such as requests of the last minute: the lines add up to these
 * whatever the analytics have counted.
 */
function toLines(
  models: readonly ModelCharges[],
  { amount, count }: { readonly amount: number; readonly count: number },
): BillLine[] {
  const lines = models.map(({ model, requests, ...charges }) => ({
    model,
    requests,
    input_tokens: charges.inputTokens,
    output_tokens: charges.outputTokens,
    amount: charges.amount,
  }))
  const sum = (of: 'amount' | 'requests') => lines.reduce((total, line) => total + line[of], 0)
  const rest = amount - sum('amount')
  if (rest === 0) return lines
  const requests = Math.max(0, count - sum('requests'))
  return [...lines, { model: '', requests, input_tokens: 0, output_tokens: 0, amount: rest }]
}
