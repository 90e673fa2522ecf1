import type { LogDetail } from '../../contract/log-detail.ts'
import type { LogEntry } from '../../contract/logs.ts'

export interface BillLine {
  /** `input`, `cachedInput`, `output` and so on; `call` when the price is per call. */
  readonly bucket: string
  readonly tokens: number
  /** The price of one token relative to an input token. On a `call` line, the number of calls. */
  readonly ratio: number
  /** Quota units per million tokens, before the group ratio. */
  readonly unitsPerMillion: number
  /** Quota units as exact decimal text. */
  readonly amount: string
  /** The length in tokens above which a prompt has this price. */
  readonly above?: number | undefined
  readonly tier?: string | undefined
  readonly region?: string | undefined
  /** Quota units of one item, group ratio included, where it has a price of its own. */
  readonly each?: string | undefined
  /** Which tool or model. */
  readonly name?: string | undefined
}

export interface Bill {
  readonly lines: readonly BillLine[]
  /** The exact sum of the lines. */
  readonly sum: string
  /** The sum in whole units: halves round up, and a sum above 0 is at least 1. */
  readonly rounded: number
  /** The quota units of the log entry. */
  readonly charged: number
  /** Quota units reserved before the request. */
  readonly hold: number
  readonly groupRatio: number
  /** Whether the lines, the stored sum and the charge agree exactly. */
  readonly isConsistent: boolean
}

/** Recalculates the bill of a log entry from its lines. Undefined for entries without a bill. */
export function recalculateBill(entry: LogEntry, detail: LogDetail): Bill | undefined {
  const { bill, model_ratio: modelRatio = 0, group_ratio: groupRatio = 1 } = detail
  if (!bill) return undefined
  const sum = sumDecimals(bill.lines.map(line => line.amount))
  const rounded = roundToUnits(sum)
  return {
    lines: bill.lines.map(line => ({ ...line, unitsPerMillion: modelRatio * line.ratio * 1_000_000 })),
    sum,
    rounded,
    charged: entry.quota,
    hold: bill.hold,
    groupRatio,
    isConsistent: rounded === entry.quota && sum === normalizeDecimal(bill.exact),
  }
}

const DECIMAL = /^-?\d+(?:\.(\d+))?$/

interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text.trim())
  return match ? { digits: BigInt(match[0].replace('.', '')), scale: match[1]?.length ?? 0 } : undefined
}

/** Adds decimal texts without rounding. A malformed text counts as 0, so the bill becomes inconsistent. */
export function sumDecimals(amounts: readonly string[]): string {
  const decimals = amounts.flatMap(amount => parseDecimal(amount) ?? [])
  const scale = Math.max(0, ...decimals.map(decimal => decimal.scale))
  const digits = decimals.reduce(
    (total, decimal) => total + decimal.digits * 10n ** BigInt(scale - decimal.scale),
    0n,
  )
  return formatDecimal({ digits, scale })
}

function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const padded = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = padded.slice(0, padded.length - scale)
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Removes trailing zeros, so that equal decimals are equal texts. */
const normalizeDecimal = (text: string): string => sumDecimals([text])

const CHARGE_UNITS_MIN = 1n

function roundToUnits(text: string): number {
  const { digits, scale } = parseDecimal(text) ?? { digits: 0n, scale: 0 }
  if (digits <= 0n) return 0
  const unit = 10n ** BigInt(scale)
  const units = (digits * 2n + unit) / (unit * 2n)
  return Number(units < CHARGE_UNITS_MIN ? CHARGE_UNITS_MIN : units)
}
