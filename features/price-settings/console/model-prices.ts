import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { type NumberTable, parseNumberTable, withEntry } from './option-table.ts'

/** The options that define model prices. */
export interface PriceTables {
  readonly prices: NumberTable
  readonly ratios: NumberTable
  readonly completions: NumberTable
  readonly caches: NumberTable
  readonly cacheWrites: NumberTable
}

export const PRICE_TABLE_KEYS = [
  ['prices', 'ModelPrice'],
  ['ratios', 'ModelRatio'],
  ['completions', 'CompletionRatio'],
  ['caches', 'CacheRatio'],
  ['cacheWrites', 'CreateCacheRatio'],
] as const

/** Undefined when one of the options is not a table of numbers. */
export function readPriceTables(
  textOf: (key: (typeof PRICE_TABLE_KEYS)[number][1]) => string,
): PriceTables | undefined {
  const prices = parseNumberTable(textOf('ModelPrice'))
  const ratios = parseNumberTable(textOf('ModelRatio'))
  const completions = parseNumberTable(textOf('CompletionRatio'))
  const caches = parseNumberTable(textOf('CacheRatio'))
  const cacheWrites = parseNumberTable(textOf('CreateCacheRatio'))
  return prices && ratios && completions && caches && cacheWrites
    ? { prices, ratios, completions, caches, cacheWrites }
    : undefined
}

/** The ratios to input tokens. */
export interface BucketRatios {
  readonly completion: number | undefined
  readonly cache: number | undefined
  readonly cacheWrite: number | undefined
}
export const BUCKET_RATIOS = ['completion', 'cache', 'cacheWrite'] as const

/** Prices of one model. A price per call takes precedence over the ratios. A default applies where a ratio is undefined. */
export interface PriceRow extends BucketRatios {
  readonly name: string
  /** Dollars per call. */
  readonly price: number | undefined
  /** A ratio of 1 is $2 per million input tokens. */
  readonly ratio: number | undefined
}

export const newRow = (name: string): PriceRow => ({
  name,
  price: undefined,
  ratio: undefined,
  completion: undefined,
  cache: undefined,
  cacheWrite: undefined,
})

/** Dollars per million input tokens at ratio 1. */
const DOLLARS_PER_RATIO = 2

export const dollarsOfRatio = (ratio: number): number => ratio * DOLLARS_PER_RATIO
export const ratioOfDollars = (dollars: number): number => dollars / DOLLARS_PER_RATIO

export function priceRow(tables: PriceTables, name: string): PriceRow {
  const { prices, ratios, completions, caches, cacheWrites } = tables
  return {
    name,
    price: prices[name],
    ratio: ratios[name],
    completion: completions[name],
    cache: caches[name],
    cacheWrite: cacheWrites[name],
  }
}

/** Dollars per million tokens of a bucket, and whether a default decides. Undefined where the default is unknown. */
export function bucketPrice(
  row: PriceRow,
  bucket: 'input' | (typeof BUCKET_RATIOS)[number],
  defaults: Partial<BucketRatios> | undefined,
): { readonly dollars: number; readonly isDefault: boolean } | undefined {
  if (row.ratio === undefined) return undefined
  const own = bucket === 'input' ? 1 : row[bucket]
  const ratio = own ?? (bucket === 'input' ? 1 : defaults?.[bucket])
  return ratio === undefined
    ? undefined
    : { dollars: dollarsOfRatio(row.ratio) * ratio, isDefault: own === undefined }
}

/** Every model with a price or a ratio, sorted by name. */
export function priceRows(tables: PriceTables): readonly PriceRow[] {
  const names = new Set([tables.prices, tables.ratios, tables.completions].flatMap(Object.keys))
  return [...names].toSorted((a, b) => a.localeCompare(b)).map(name => priceRow(tables, name))
}

/** Models that channels serve before the others. */
export const servedFirst = (rows: readonly PriceRow[], served: ReadonlySet<string>): readonly PriceRow[] =>
  rows.toSorted((a, b) => Number(served.has(b.name)) - Number(served.has(a.name)))

const SIMILAR_LENGTH_MIN = 2

/**
 * The prices of the model whose name this name contains as words, the longest such: `eu/gpt-4o-2027` is like `gpt-4o`. Default
 * ratios become its own, because defaults go by the name. Undefined where no name is similar.
 */
export function similarPrice(
  name: string,
  tables: PriceTables,
  defaults: ReadonlyMap<string, BucketRatios> | undefined,
): { readonly of: string; readonly row: PriceRow } | undefined {
  const lowered = name.toLowerCase()
  const [found] = priceRows(tables)
    .filter(row => row.price !== undefined || row.ratio !== undefined)
    .filter(row => row.name !== name && row.name.length >= SIMILAR_LENGTH_MIN && hasWords(lowered, row.name))
    .toSorted((a, b) => b.name.length - a.name.length)
  if (!found) return undefined
  const own = defaults?.get(found.name)
  return {
    of: found.name,
    row: {
      ...found,
      name,
      completion: found.completion ?? own?.completion,
      cache: found.cache ?? own?.cache,
      cacheWrite: found.cacheWrite ?? own?.cacheWrite,
    },
  }
}

const LETTER = /[a-z0-9]/

/** Whether `known` stands in the name with neither a letter nor a digit before and behind it. */
function hasWords(lowered: string, known: string): boolean {
  const parts = lowered.split(known.toLowerCase())
  return parts.some((after, index) => {
    const before = parts[index - 1]
    return before !== undefined && !LETTER.test(before.at(-1) ?? '') && !LETTER.test(after.at(0) ?? '')
  })
}

/** Replaces the prices of a model. A price per call removes its ratios. */
export function withRow(tables: PriceTables, row: PriceRow): PriceTables {
  const { name, price } = row
  const { ratio, completion, cache, cacheWrite } = price === undefined ? row : newRow(name)
  return {
    prices: withEntry(tables.prices, name, price),
    ratios: withEntry(tables.ratios, name, ratio),
    completions: withEntry(tables.completions, name, completion),
    caches: withEntry(tables.caches, name, cache),
    cacheWrites: withEntry(tables.cacheWrites, name, cacheWrite),
  }
}

/** A price of one model before and after a change: dollars per million tokens, or per call. Undefined: no price. */
export interface PriceChange {
  readonly model: string
  readonly bucket: 'call' | 'input' | (typeof BUCKET_RATIOS)[number]
  readonly before: number | undefined
  readonly after: number | undefined
}

const BUCKETS_OF_CHANGE = ['call', 'input', ...BUCKET_RATIOS] as const

/** The prices that differ between two sets of options, default ratios included. */
export function priceChanges(
  before: PriceTables,
  after: PriceTables,
  defaults: ReadonlyMap<string, BucketRatios>,
): readonly PriceChange[] {
  const models = new Set([before, after].flatMap(priceRows).map(({ name }) => name))
  return [...models].flatMap(model => {
    const [from, to] = [before, after].map(tables => dollarsOf(priceRow(tables, model), defaults.get(model)))
    return BUCKETS_OF_CHANGE.map(bucket => ({
      model,
      bucket,
      before: from?.[bucket],
      after: to?.[bucket],
    })).filter(change => change.before !== change.after)
  })
}

function dollarsOf(
  row: PriceRow,
  defaults: BucketRatios | undefined,
): Readonly<Partial<Record<PriceChange['bucket'], number>>> {
  if (row.price !== undefined) return { call: row.price }
  const priced = (['input', ...BUCKET_RATIOS] as const).flatMap(bucket => {
    const price = bucketPrice(row, bucket, defaults)
    return price ? [[bucket, Number(price.dollars.toPrecision(9))] as const] : []
  })
  return Object.fromEntries(priced)
}

export const withoutModel = (tables: PriceTables, name: string): PriceTables => withRow(tables, newRow(name))

const WILDCARD = '*'

/** Models with neither a price nor a ratio. A price name that ends in `*` covers all models with that prefix. */
export function unpricedModels(
  models: readonly string[],
  { prices, ratios }: PriceTables,
): readonly string[] {
  const known = [...Object.keys(prices), ...Object.keys(ratios)]
  const heads = known.filter(name => name.endsWith(WILDCARD)).map(name => name.slice(0, -1))
  const names = new Set(known)
  return models.filter(model => !names.has(model) && !heads.some(head => model.startsWith(head)))
}

const CACHE_COLUMNS = ['cache_ratio', 'create_cache_ratio'] as const
export const CSV_HEAD = ['model', 'fixed_price', 'model_ratio', 'completion_ratio', ...CACHE_COLUMNS] as const

export const csvLine = (row: PriceRow): readonly (string | number)[] => [
  row.name,
  row.price ?? '',
  row.ratio ?? '',
  row.completion ?? '',
  row.cache ?? '',
  row.cacheWrite ?? '',
]

export type ParsedCsv =
  | {
      readonly rows: readonly PriceRow[]
      /** False for a file without columns for the cache, which leaves its ratios as they are. */
      readonly hasCache: boolean
    }
  /** Line number, counted from 1. */
  | { readonly badLine: number }

const CELL = /("(?:[^"]|"")*"|[^,]*)(,|$)/y

function parseCells(line: string): readonly string[] {
  const cells: string[] = []
  CELL.lastIndex = 0
  for (let match = CELL.exec(line); match; match = CELL.exec(line)) {
    const [, cell = '', end] = match
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.trim())
    if (end === '') break
  }
  return cells
}

/** Parses an exported file. The first line is the header; empty cells mean no value. */
export function parseCsv(text: string): ParsedCsv {
  const rows: PriceRow[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const [name = '', ...cells] = parseCells(line)
    const figures = [0, 1, 2, 3, 4].map(cell => cells[cell] ?? '')
    const isWrong = figures.some(cell => cell !== '' && parseAmount(cell) === undefined)
    if (name === '' || isWrong) return { badLine: index + 1 }
    const [price, ratio, completion, cache, cacheWrite] = figures.map(parseAmount)
    rows.push({ name, price, ratio, completion, cache, cacheWrite })
  }
  return { rows, hasCache: CACHE_COLUMNS.every(column => lines[0]?.includes(column)) }
}
