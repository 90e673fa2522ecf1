import { LOG_TYPE } from '#contract/enums.ts'
import { noopLogger } from '#server/core/logger.ts'
import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import { mapBuckets } from '#server/core/usage.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { chargeAmount } from '#server/pricing/charge.ts'
import { atFactor } from '#server/pricing/price.ts'
import { type PriceBook, priceBookOf } from '#server/pricing/price-book.ts'
import { loadSettings } from '#server/settings/settings.ts'
import type { ImportContext } from './import-context.ts'
import type { ImportedLog, LogReader } from './import-source.ts'
import { listGroupsOfImported } from './queries/import-rows.ts'
import type { SourceDatabase, SourceRow } from './queries/source-database.ts'

/** Quota units there, and at the prices here. */
interface ComparedSums {
  requests: number
  there: number
  here: number
}

export interface ComparisonRow extends Readonly<ComparedSums> {
  readonly name: string
}

/** What requests cost in the other gateway, and what they would cost here. */
export interface Comparison extends Readonly<ComparedSums> {
  /** Those with the largest differences first. */
  readonly users: readonly ComparisonRow[]
  readonly models: readonly ComparisonRow[]
  /** Requests without a price here, by reason. They are in no other sum. */
  readonly unpriced: readonly ComparisonRow[]
}

interface ComparedLog {
  readonly database: SourceDatabase
  readonly reader: LogReader
  /** Unix seconds. */
  readonly since: number
}

const ROWS_AT_ONCE = 20_000
/** Clients choose names of models, and a large gateway has many users. */
const NAMES_MAX = 20_000
const ROWS_KEPT_MAX = 1_000
const OTHER_NAMES = '…'

/** Charges the requests of the other gateway's log again with the prices that came. */
export async function compareCharges(log: ComparedLog, context: ImportContext): Promise<Comparison> {
  const settings = await loadSettings({ ...context, log: noopLogger })
  const prices = priceBookOf(settings.current().values)
  const groups = await listGroupsOfImported(context.db, context.source)
  const sums = createComparison()
  for await (const rows of readRequests(log)) {
    for (const { row, record } of rows) {
      const group = record.group || (groups.get(String(record.owner)) ?? 'default')
      sums.add(record, chargeHere(record, { group, prices, usage: log.reader.usage(row) }))
    }
  }
  return sums.result()
}

function createComparison() {
  const [all, users, models, unpriced] = [createSums(), createTable(), createTable(), createTable()]
  return {
    /** `here` says why there is no price, where there is none. */
    add(record: ImportedLog, here: number | string): void {
      const isPriced = typeof here === 'number'
      const concerned = isPriced
        ? [all, users.of(nameOf(record)), models.of(record.model_name)]
        : [unpriced.of(here)]
      for (const sums of concerned) addTo(sums, record.quota, isPriced ? here : 0)
    },
    result: (): Comparison => ({
      ...all,
      users: users.rows(),
      models: models.rows(),
      unpriced: unpriced.rows(),
    }),
  }
}

interface ComparedRequest {
  readonly row: SourceRow
  readonly record: ImportedLog
}

async function* readRequests({
  database,
  reader,
  since,
}: ComparedLog): AsyncGenerator<readonly ComparedRequest[]> {
  const { table, key } = reader
  if (!database.tables.has(table)) return
  const next = (after?: SourceRow[string]) =>
    database.readPage({ table, key, after, from: reader.since(since), limit: ROWS_AT_ONCE })
  for (let rows = await next(); rows.length > 0; rows = await next(rows.at(-1)?.[key])) {
    yield rows.flatMap(row => {
      const reading = reader.read(row)
      return 'record' in reading && reading.record.type === LOG_TYPE.consumption
        ? [{ row, record: reading.record }]
        : []
    })
  }
}

interface ChargeQuery {
  readonly group: string
  readonly prices: PriceBook
  readonly usage: ReturnType<LogReader['usage']>
}

/** Their prices count characters and seconds, which logs of other gateways do not have. */
const UNCOUNTED_KINDS: ReadonlySet<string> = new Set(['speech', 'transcription'])

/** Units, or why there is no price. */
function chargeHere(
  { model_name: model }: ImportedLog,
  { group, prices, usage }: ChargeQuery,
): number | string {
  const price = prices.find(model)
  if (!price) return `no price for ${model}`
  const kind = findModel(model)?.kind
  if (usage === undefined || (kind !== undefined && UNCOUNTED_KINDS.has(kind)))
    return `${model} is not counted in tokens`
  const ratio = prices.groupRatio(group)
  if (ratio === undefined) return `no ratio for the group ${group}`
  const counts = { ...mapBuckets(bucket => Math.max(0, usage[bucket] ?? 0)), images: 0, webSearches: 0 }
  return chargeAmount(atFactor(price, ratio), counts)
}

const nameOf = ({ username, owner }: ImportedLog): string => username || String(owner ?? '')

const createSums = (): ComparedSums => ({ requests: 0, there: 0, here: 0 })

function addTo(sums: ComparedSums, there: number, here: number): void {
  sums.requests += 1
  sums.there += there
  sums.here += here
}

function createTable() {
  const byName = new Map<string, ComparedSums>()
  return {
    of(given: string): ComparedSums {
      const name = byName.has(given) || byName.size < NAMES_MAX ? given : OTHER_NAMES
      const sums = byName.get(name) ?? createSums()
      byName.set(name, sums)
      return sums
    },
    rows: (): readonly ComparisonRow[] =>
      [...byName]
        .map(([name, sums]) => ({ name, ...sums }))
        .sort((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there))
        .slice(0, ROWS_KEPT_MAX),
  }
}

const LINES_MAX = 20
const NAME_WIDTH = 32
const MONEY_WIDTH = 14

/** The comparison for a terminal: the sum, and who pays more or less. */
export function renderComparison(comparison: Comparison, days: number): readonly string[] {
  const { requests, unpriced } = comparison
  if (requests + unpriced.length === 0) return [`no requests of the last ${days} days to compare`]
  return [
    `${requests} requests of the last ${days} days: ${dollars(comparison.there)} there, ${dollars(comparison.here)} at the prices here (${changeOf(comparison)})`,
    ...tableLines('user', comparison.users),
    ...tableLines('model', comparison.models),
    ...unpriced
      .slice(0, LINES_MAX)
      .map(
        row => `not compared: ${row.name}, ${row.requests} requests that cost ${dollars(row.there)} there`,
      ),
  ]
}

function tableLines(title: string, rows: readonly ComparisonRow[]): readonly string[] {
  const changed = rows.filter(({ there, here }) => there !== here)
  if (changed.length === 0) return [`each ${title} pays the same`]
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(NAME_WIDTH) : cell.padStart(MONEY_WIDTH))).join('')
  const hidden = changed.length - LINES_MAX
  return [
    line([title, 'there', 'here', 'change']),
    ...changed
      .slice(0, LINES_MAX)
      .map(row => line([row.name, dollars(row.there), dollars(row.here), changeOf(row)])),
    ...(hidden > 0 ? [`and ${hidden} more, see --report FILE`] : []),
  ]
}

const DIGITS = 4
const dollars = (units: number): string => `$${(units / UNITS_PER_DOLLAR).toFixed(DIGITS)}`

function changeOf({ there, here }: Readonly<ComparedSums>): string {
  if (there === here) return 'the same'
  if (there === 0) return 'free there'
  const percent = ((here - there) / there) * 100
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`
}
