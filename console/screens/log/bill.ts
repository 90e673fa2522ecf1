import type { LogDetail, LogEntry } from '#contract/logs/logs.ts'

const DECIMAL = /^-?\d+(?:\.(\d+))?$/
const SMALLEST_CHARGE = 1n

export interface BillLine {
  /** `input`, `cachedInput`, `output` …, or `call`. */
  readonly bucket: string
  readonly tokens: number
  /** What one of this kind costs, in input tokens; on the line `call` how many calls it counts for. */
  readonly ratio: number
  /** Quota units of a million tokens of this kind, before the group's ratio. */
  readonly unitsPerMillion: number
  /** Quota units, exact decimal text. */
  readonly amount: string
}

export interface Bill {
  readonly lines: readonly BillLine[]
  /** The exact sum of the lines. */
  readonly sum: string
  /** What the sum comes to as whole units: halves up, and at least 1 when something priced was used. */
  readonly rounded: number
  readonly charged: number
  /** Units reserved before the answer. */
  readonly hold: number
  readonly groupRatio: number
  /** Whether the lines, the stored sum and the charge agree to the unit. */
  readonly isConsistent: boolean
}

/** The bill of a row, done again from its lines. Undefined for rows that have none. */
export function recalculateBill(entry: LogEntry, detail: LogDetail): Bill | undefined {
  const { bill, model_ratio: modelRatio = 0, group_ratio: groupRatio = 1 } = detail
  if (!bill) return undefined
  const sum = sumDecimals(bill.lines.map(line => line.amount))
  const rounded = roundToUnits(sum)
  return {
    lines: bill.lines.map(({ bucket, tokens, ratio, amount }) => ({
      bucket,
      tokens,
      ratio,
      unitsPerMillion: modelRatio * ratio * 1_000_000,
      amount,
    })),
    sum,
    rounded,
    charged: entry.quota,
    hold: bill.hold,
    groupRatio,
    isConsistent: rounded === entry.quota && sum === normalizeDecimal(bill.exact),
  }
}

interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text.trim())
  return match ? { digits: BigInt(match[0].replace('.', '')), scale: match[1]?.length ?? 0 } : undefined
}

/** Adds decimal texts exactly. A text that is no number adds nothing: the sum then differs and is flagged. */
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
  const shown = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = shown.slice(0, shown.length - scale)
  const fraction = shown.slice(shown.length - scale).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

const normalizeDecimal = (text: string): string => sumDecimals([text])

function roundToUnits(text: string): number {
  const { digits, scale } = parseDecimal(text) ?? { digits: 0n, scale: 0 }
  if (digits <= 0n) return 0
  const unit = 10n ** BigInt(scale)
  const whole = (digits * 2n + unit) / (unit * 2n)
  return Number(whole < SMALLEST_CHARGE ? SMALLEST_CHARGE : whole)
}
