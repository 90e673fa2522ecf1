import type { Decimal } from '#server/core/money.ts'
import type { BILL_FORMATS } from '../../contract.ts'
import { cellError, type RowCells, readCount, readDay, readDollars } from './read-cells.ts'

export type BillFormat = (typeof BILL_FORMATS)[number]

/** One row of a bill. */
export interface BillLine {
  /** UTC. */
  readonly day: string
  /**
   * What was billed, in the provider's words: a model, often with the kind of token, or a tool. Empty: the row does not
   * say.
   */
  readonly item: string
  /** Whether the item is always the name of a model. */
  readonly isModel: boolean
  readonly dollars?: Decimal
  readonly requests?: number
  /** All tokens sent, cached ones included. */
  readonly inputTokens?: number
  readonly outputTokens?: number
}

interface BillReader {
  readonly format: BillFormat
  /** Columns that only this format has together. */
  readonly columns: readonly string[]
  /** Undefined for rows that stand for nothing, as days without usage. */
  read(row: RowCells): BillLine | undefined
}

/**
 * OpenAI, platform.openai.com/usage, *Export*, cost: the buckets of its costs API as columns, one row for a day and a line
 * item, such as `gpt-5.5-2026-04-23, cached input` or `web search tool calls`; without a grouping by line item the column
 * is empty. Days without costs have empty amounts. Source: platform.openai.com/docs/api-reference/usage/costs
 */
const openaiCosts: BillReader = {
  format: 'openai_costs',
  columns: ['start_time', 'amount_value', 'amount_currency', 'line_item'],
  read(row) {
    if (row.cell('amount_value') === '' && row.cell('amount_currency') === '') return undefined
    if (row.cell('amount_currency').toLowerCase() !== 'usd')
      throw cellError(row, 'amount_currency', { zh: '不是 usd', en: 'is not usd' })
    const day = readDay(row, 'start_time')
    return { day, item: row.cell('line_item'), isModel: false, dollars: readDollars(row, 'amount_value') }
  },
}

/**
 * OpenAI, platform.openai.com/usage, *Export*, completions and other activity: requests and tokens without amounts.
 * `input_tokens` includes cached ones. Source: platform.openai.com/docs/api-reference/usage/completions
 */
const openaiUsage: BillReader = {
  format: 'openai_usage',
  columns: ['start_time', 'num_model_requests', 'model'],
  read(row) {
    if (row.cell('num_model_requests') === '') return undefined
    return {
      day: readDay(row, 'start_time'),
      item: row.cell('model'),
      isModel: true,
      requests: readCount(row, 'num_model_requests'),
      ...(row.cell('input_tokens') !== '' && { inputTokens: readCount(row, 'input_tokens') }),
      ...(row.cell('output_tokens') !== '' && { outputTokens: readCount(row, 'output_tokens') }),
    }
  },
}

/**
 * Anthropic, platform.claude.com, *Cost*, *Export*: a row for a day, a model by its display name (`Claude Opus 4.6`), a
 * workspace, a key and a kind of token, in dollars rounded to cents. Tools such as web search name no model.
 * Source: support.claude.com, "Cost and Usage Reporting in the Claude Console"
 */
const anthropicCosts: BillReader = {
  format: 'anthropic_costs',
  columns: ['usage_date_utc', 'model', 'cost_usd'],
  read: row => ({
    day: readDay(row, 'usage_date_utc'),
    item: row.cell('model'),
    isModel: true,
    dollars: readDollars(row, 'cost_usd'),
  }),
}

const ANTHROPIC_INPUT = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_read',
] as const

/** Anthropic, platform.claude.com, *Usage*, *Export*: tokens without amounts and without a number of requests. */
const anthropicUsage: BillReader = {
  format: 'anthropic_usage',
  columns: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
  read: row => ({
    day: readDay(row, 'usage_date_utc'),
    item: row.cell('model_version'),
    isModel: true,
    inputTokens: ANTHROPIC_INPUT.filter(column => row.cell(column) !== '').reduce(
      (sum, column) => sum + readCount(row, column),
      0,
    ),
    outputTokens: readCount(row, 'usage_output_tokens'),
  }),
}

/**
 * OpenRouter, openrouter.ai/activity, *Export*, by generation: one request a row. Traffic with a key of one's own at
 * another provider (`byok_usage_inference`) is billed by that provider, and only OpenRouter's fee is in `cost_total`. Its tokens
 * may be those of a tokenizer of its own and are not compared. Source: openrouter.ai/docs/guides/guides/activity-export
 */
const openrouterGenerations: BillReader = {
  format: 'openrouter_generations',
  columns: ['generation_id', 'created_at', 'cost_total', 'model_permaslug'],
  read: row => ({
    day: readDay(row, 'created_at'),
    item: row.cell('model_permaslug'),
    isModel: true,
    dollars: readDollars(row, 'cost_total'),
    requests: 1,
  }),
}

/** OpenRouter's activity by day and model, as its page exports it: `Date`, `Slug`, `Usage`, `BYOK Usage`, `Requests`. */
const openrouterDays: BillReader = {
  format: 'openrouter_days',
  columns: ['date', 'slug', 'usage', 'requests'],
  read: row => readRouterDay(row, 'slug'),
}

/** The same as its API names the columns: openrouter.ai/docs/api-reference/analytics/get-user-activity */
const openrouterActivity: BillReader = {
  format: 'openrouter_days',
  columns: ['date', 'model_permaslug', 'usage', 'requests'],
  read: row => readRouterDay(row, 'model_permaslug'),
}

const readRouterDay = (row: RowCells, model: string): BillLine => ({
  day: readDay(row, 'date'),
  item: row.cell(model),
  isModel: true,
  dollars: readDollars(row, 'usage'),
  requests: readCount(row, 'requests'),
})

/** The format for any other bill, which operators can write themselves. `requests` is optional. */
const plain: BillReader = {
  format: 'plain',
  columns: ['date', 'model', 'cost_usd'],
  read: row => ({
    day: readDay(row, 'date'),
    item: row.cell('model'),
    isModel: true,
    dollars: readDollars(row, 'cost_usd'),
    ...(row.cell('requests') !== '' && { requests: readCount(row, 'requests') }),
  }),
}

const READERS = [
  openaiCosts,
  openaiUsage,
  anthropicUsage,
  anthropicCosts,
  openrouterGenerations,
  openrouterDays,
  openrouterActivity,
  plain,
] as const

/** The format whose columns a header has; undefined for a header of none. */
export const findFormat = (columns: ReadonlySet<string>): BillReader | undefined =>
  READERS.find(reader => reader.columns.every(column => columns.has(column)))
