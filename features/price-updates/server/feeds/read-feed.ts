import { GatewayError } from '#server/core/errors.ts'
import { createJsonBodyParser } from '#server/core/json/json.ts'
import { type BothLanguages, textsOf } from '#server/core/language.ts'
import { MIB } from '#server/core/limits.ts'
import { checkFigures, checkName, checkPrices } from './check-row.ts'
import {
  type Feed,
  type FeedProblem,
  type FeedRow,
  type FigureRules,
  type FoundRow,
  feedProblem,
  type KnownNames,
} from './feed.ts'
import { FORMATS } from './formats.ts'

/** The largest known feed has 4 MiB. */
export const FEED_BYTES_MAX = 8 * MIB
const JSON_LIMITS = { keysMax: 400_000, elementsMax: 800_000, textCharsMax: FEED_BYTES_MAX }
const ROWS_MAX = 10_000
const PROBLEMS_MAX = 500

/** Why a feed is not read at all. */
export interface UnreadableFeed {
  readonly kind: 'unreadable'
  readonly reason: BothLanguages
}

export type FeedReading = ({ readonly kind: 'feed' } & Feed) | UnreadableFeed

/** Reads a feed of any known shape. A row that is wrong is reported and left out. */
export function readFeed(text: string, known: KnownNames): FeedReading {
  const document = parseDocument(text)
  if (document.kind === 'unreadable') return document
  for (const { format, figures, findEntries, readEntry } of FORMATS) {
    const entries = findEntries(document.value)
    if (!entries) continue
    if (entries.length > ROWS_MAX)
      return unreadable({
        zh: `共 ${entries.length} 个模型，超过上限 ${ROWS_MAX}`,
        en: `it has ${entries.length} models, and at most ${ROWS_MAX} are read`,
      })
    const found = entries.flatMap(entry => readEntry(entry, { document: document.value, known }))
    return { kind: 'feed', format, ...checkRows(found, figures, known) }
  }
  return unreadable({
    zh: '无法识别格式，支持 LiteLLM、models.dev、OpenRouter、/api/pricing、/api/ratio_config 和本系统的模型目录',
    en: 'its format is not known; LiteLLM, models.dev, OpenRouter, /api/pricing, /api/ratio_config and the catalog of this gateway are read',
  })
}

const unreadable = (reason: BothLanguages): UnreadableFeed => ({ kind: 'unreadable', reason })

type ParsedDocument = { readonly kind: 'document'; readonly value: unknown } | UnreadableFeed

function parseDocument(text: string): ParsedDocument {
  const parser = createJsonBodyParser(JSON_LIMITS)
  try {
    parser.push(text.replace(/^\uFEFF/, ''))
    return { kind: 'document', value: parser.parse().value }
  } catch (error) {
    if (error instanceof GatewayError) return unreadable(textsOf(error))
    throw error
  }
}

function checkRows(
  found: readonly FoundRow[],
  figures: FigureRules,
  known: KnownNames,
): Pick<Feed, 'rows' | 'problems' | 'names'> {
  const problems: FeedProblem[] = []
  const rows = new Map<string, FeedRow>()
  const doubled = new Set<string>()
  for (const one of found) {
    const row = checkName(one, known) ?? one.problem ?? checkFigures(one, figures) ?? checkRow(one)
    if (!row) continue
    if ('reason' in row) problems.push(row)
    else if (isOther(rows.get(row.model), row)) doubled.add(row.model)
    else rows.set(row.model, row)
  }
  for (const model of doubled) {
    rows.delete(model)
    problems.push(feedProblem(model, 'duplicate'))
  }
  // A model that one row gets wrong is not taken from another.
  for (const { model } of problems) rows.delete(model)
  return {
    rows: [...rows.values()],
    problems: problems.slice(0, PROBLEMS_MAX),
    names: new Set(found.map(({ model }) => model)),
  }
}

const isOther = (first: FeedRow | undefined, second: FeedRow): boolean =>
  first !== undefined && JSON.stringify(first.prices) !== JSON.stringify(second.prices)

/** Undefined for a model without a price. */
function checkRow({ model, row }: FoundRow): FeedRow | FeedProblem | undefined {
  if (!row) return feedProblem(model, 'shape')
  const { prices } = row
  const isPriced = prices.input !== undefined || prices.request !== undefined || prices.image !== undefined
  const isKnownPrice = isPriced || prices.characters !== undefined || prices.second_input !== undefined
  return checkPrices(model, prices) ?? (isKnownPrice ? { model, ...row } : undefined)
}
