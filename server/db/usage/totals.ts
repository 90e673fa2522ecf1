import { addSketchText, toSketchText } from '../../core/sketch.ts'
import type { AnalyticsSums, AnalyticsTotals } from '../engine/analytics-tables.ts'
import { bulkInsert } from '../engine/bulk.ts'

export const SUM_COLUMNS = [
  'requests',
  'errors',
  'quota',
  'cost_nanos',
  'costed_quota',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'audio_output_tokens',
] as const satisfies readonly (keyof AnalyticsSums)[]

export const NO_SUMS: Readonly<AnalyticsSums> = {
  requests: 0,
  errors: 0,
  quota: 0,
  cost_nanos: 0,
  costed_quota: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  audio_input_tokens: 0,
  image_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  audio_output_tokens: 0,
}

const GATEWAY_KEY = ['channel_id', 'model_name', 'group', 'dialect', 'error', 'region', 'plan'] as const
export const OWNER_KEY = ['user_id', 'token_id', ...GATEWAY_KEY] as const
const SKETCH_COLUMNS = ['first_token', 'duration'] as const

const GATEWAY_COLUMNS = [...GATEWAY_KEY, ...SUM_COLUMNS, ...SKETCH_COLUMNS] as const
const OWNER_COLUMNS = [...OWNER_KEY, ...SUM_COLUMNS, ...SKETCH_COLUMNS] as const

/** Totals of a minute, an hour or a day, whose start is `time` in Unix seconds. */
export interface TimedTotals extends AnalyticsTotals {
  readonly time: number
}

/** A part that is written again after an interruption has the same rows. */
const KEEP_EXISTING = 'on conflict do nothing'

export const insertMinutes = bulkInsert('analytics_minutes', ['minute', ...OWNER_COLUMNS])

export const insertHours = bulkInsert('analytics_hours', ['hour', 'id', ...OWNER_COLUMNS], KEEP_EXISTING)

export const insertDays = bulkInsert('analytics_days', ['day', 'id', ...OWNER_COLUMNS], KEEP_EXISTING)

export const insertGatewayHours = bulkInsert(
  'analytics_gateway_hours',
  ['hour', 'id', ...GATEWAY_COLUMNS],
  KEEP_EXISTING,
)

export const insertGatewayDays = bulkInsert(
  'analytics_gateway_days',
  ['day', 'id', ...GATEWAY_COLUMNS],
  KEEP_EXISTING,
)

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

interface Merged {
  readonly totals: Writable<TimedTotals>
  readonly firstToken: Map<number, number>
  readonly duration: Map<number, number>
}

/** Adds totals up by the start of their period and their key. */
export class TotalsMerger {
  private readonly merged = new Map<string, Merged>()
  private readonly startOf: (seconds: number) => number
  private readonly hasOwners: boolean

  /** Without owners, users and tokens are 0. */
  constructor(startOf: (seconds: number) => number, hasOwners: boolean) {
    this.startOf = startOf
    this.hasOwners = hasOwners
  }

  add(row: TimedTotals): void {
    const { totals, firstToken, duration } = this.find(row)
    for (const column of SUM_COLUMNS) totals[column] += row[column]
    addSketchText(firstToken, row.first_token)
    addSketchText(duration, row.duration)
  }

  /** In an order that depends on the rows alone. */
  rows(): TimedTotals[] {
    return [...this.merged]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { totals, firstToken, duration }]) => ({
        ...totals,
        first_token: toSketchText(firstToken),
        duration: toSketchText(duration),
      }))
  }

  private find(row: TimedTotals): Merged {
    const time = this.startOf(row.time)
    const owner = this.hasOwners
      ? { user_id: row.user_id, token_id: row.token_id }
      : { user_id: 0, token_id: 0 }
    const values = { ...row, ...owner }
    const key = `${time}\0${OWNER_KEY.map(column => values[column]).join('\0')}`
    const found = this.merged.get(key)
    if (found) return found
    const created = { totals: { ...values, ...NO_SUMS, time }, firstToken: new Map(), duration: new Map() }
    this.merged.set(key, created)
    return created
  }
}

/** The row with numbers: PostgreSQL returns sums as text. */
export function withNumbers(row: TimedTotals): TimedTotals {
  const numbers: Partial<Writable<AnalyticsSums>> = {}
  for (const column of SUM_COLUMNS) numbers[column] = Number(row[column])
  return { ...row, ...numbers, time: Number(row.time) }
}

export const TOKEN_COLUMNS = SUM_COLUMNS.filter(name => name.endsWith('_tokens'))
