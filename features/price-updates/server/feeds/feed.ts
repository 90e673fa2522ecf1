import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import type { Facts } from './facts.ts'

/** The shapes of feeds that are read. */
export type FeedFormat = 'litellm' | 'models_dev' | 'openrouter' | 'pricing' | 'ratio_config' | 'catalogue'

/** A feed's entry for a model. */
export interface FeedRow {
  readonly model: string
  readonly kind: ModelKind
  readonly prices: PriceList
  /** The day from which the provider no longer serves the model. */
  readonly retires?: string | undefined
  /** The model that takes its place. */
  readonly successor?: string | undefined
}

export const PROBLEM_REASONS = [
  'shape',
  'name',
  'name_too_long',
  'renamed',
  'duplicate',
  'not_a_number',
  'negative',
  'too_high',
  'too_low',
  'tiers',
  'unknown_price',
  'placeholder',
  'inexact',
] as const
/** Why a row changes nothing. */
export type ProblemReason = (typeof PROBLEM_REASONS)[number]

export interface FeedProblem {
  readonly model: string
  readonly reason: ProblemReason
  /** The member that is wrong; empty where it is the row as a whole. */
  readonly field: string
  /** The found text, shortened. */
  readonly found: string
}

export interface Feed {
  readonly format: FeedFormat
  /** Rows with prices. */
  readonly rows: readonly FeedRow[]
  readonly problems: readonly FeedProblem[]
  /** Every model that the feed names, also without a price. */
  readonly names: ReadonlySet<string>
}

/** How a format writes figures. */
export interface FigureRules {
  /** Names of members that are figures, where others are not. */
  readonly names?: RegExp
  /** Names of figures that are kept with twelve digits. */
  readonly roundedNames?: RegExp
  /** Figures are texts, as in `"0.0000025"`. */
  readonly areTexts?: true
}

/** What a format finds in a document: rows of price lists, and the figures that they were read from. */
export interface FoundRow {
  readonly model: string
  /** The name under which the row repeats its model, where the format does so. */
  readonly alias?: string | undefined
  /** The part of the row that holds its figures, as it was sent. */
  readonly figures: unknown
  /** Undefined for a row of another shape. */
  readonly row: Omit<FeedRow, 'model'> | undefined
  /** What makes the meaning of its prices uncertain. */
  readonly problem?: FeedProblem | undefined
}

/** Names of models that are known here. */
export interface KnownNames {
  has(name: string): boolean
  /** The known name that looks like this one. */
  lookAlike(name: string): string | undefined
}

/** Something that a document lists, under its name or number, before it is read. */
export type FeedEntry = readonly [name: string, entry: unknown]

export interface FormatReader {
  readonly format: FeedFormat
  readonly figures: FigureRules
  /** Undefined for documents of another shape. */
  readonly findEntries: (document: unknown) => readonly FeedEntry[] | undefined
  readonly readEntry: (
    entry: FeedEntry,
    context: { readonly document: unknown; readonly known: KnownNames },
  ) => readonly FoundRow[]
}

const FOUND_CHARS_MAX = 80

export const feedProblem = (
  model: string,
  reason: ProblemReason,
  field = '',
  found: unknown = '',
): FeedProblem => ({
  model: model.slice(0, FOUND_CHARS_MAX),
  reason,
  field: field.slice(0, FOUND_CHARS_MAX),
  found: (typeof found === 'string' ? found : (JSON.stringify(found) ?? String(found))).slice(
    0,
    FOUND_CHARS_MAX,
  ),
})

/** A list of rows, bare or in the member `data`. */
export function listEntries(
  document: unknown,
  isRow: (item: Facts) => boolean,
): readonly FeedEntry[] | undefined {
  const list: unknown = Array.isArray(document) ? document : Object(document).data
  if (!Array.isArray(list) || !list.some(item => isRow(Object(item)))) return undefined
  return list.map((item, index) => [String(index), item] as const)
}

/** What a model is that only its prices describe. */
export function kindOfPrices(model: string, prices: PriceList): ModelKind {
  const known = findModel(model)
  if (known) return known.kind
  return prices.input === undefined && prices.image !== undefined ? 'image' : 'chat'
}

/** The problem of a row with a price that is not understood; undefined where every price is. */
export const unknownPrice = (
  model: string,
  facts: Facts,
  field: string | undefined,
): FeedProblem | undefined =>
  field === undefined ? undefined : feedProblem(model, 'unknown_price', field, facts[field])
