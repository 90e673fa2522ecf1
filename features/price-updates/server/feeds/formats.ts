import { z } from 'zod'
import { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { toDollars } from '#server/pricing/ratio-rules.ts'
import type { KnownNames } from './check-row.ts'
import { type Facts, perMillion } from './facts.ts'
import type { FeedFormat, FigureRules, FoundRow } from './feed.ts'
import { readLitellmEntry } from './litellm.ts'
import { DEV_PROVIDERS, kindOfDevModel, readDevPrices } from './models-dev.ts'

interface FormatReader {
  readonly format: FeedFormat
  readonly figures: FigureRules
  /** Undefined for documents of another shape. */
  readonly findRows: (document: unknown, known: KnownNames) => readonly FoundRow[] | undefined
}

const Entries = z.record(z.string(), z.unknown())

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  const { success, data } = Entries.safeParse(value)
  return success ? Object.entries(data) : undefined
}

/** `model_prices_and_context_window.json`: dollars per token by `provider/model`. */
const litellm: FormatReader = {
  format: 'litellm',
  figures: {
    names: /_cost|_multiplier|^search_context_size/,
    roundedNames: /per_\w*(token|character)|token_cost/,
  },
  findRows(document) {
    const entries = entriesOf(document)
    if (!entries?.some(([, entry]) => typeof Object(entry).litellm_provider === 'string')) return undefined
    return entries
      .filter(([key]) => key !== 'sample_spec')
      .flatMap(([key, entry]) => toLitellmRow(key, entry))
  },
}

const LitellmEntry = z.looseObject({ litellm_provider: z.string(), mode: z.string().optional() })

function toLitellmRow(key: string, entry: unknown): readonly FoundRow[] {
  const parsed = LitellmEntry.safeParse(entry)
  if (!parsed.success) return [{ model: key, figures: {}, row: undefined }]
  const facts: Facts = parsed.data
  const { name, model } = readLitellmEntry(key, facts) ?? {}
  if (name === undefined || !model) return []
  const { kind, prices, retires } = model
  return [{ model: name, figures: facts, row: { kind, prices, retires } }]
}

/** `api.json`: dollars per million tokens by provider and model. */
const modelsDev: FormatReader = {
  format: 'models_dev',
  figures: {},
  findRows(document) {
    const providers = entriesOf(document)
    if (!providers?.some(([, provider]) => entriesOf(Object(provider).models))) return undefined
    return Object.entries(DEV_PROVIDERS).flatMap(([provider, [, own]]) => {
      const models = Object(providers.find(([name]) => name === provider)?.[1]).models
      return (entriesOf(models) ?? []).filter(([name]) => own.test(name)).map(toDevRow)
    })
  },
}

const DevEntry = z.looseObject({ id: z.string().optional(), cost: z.looseObject({}).optional() })

function toDevRow([name, entry]: readonly [string, unknown]): FoundRow {
  const parsed = DevEntry.safeParse(entry)
  if (!parsed.success) return { model: name, figures: {}, row: undefined }
  const { id, cost = {}, modalities } = parsed.data
  const row = { kind: kindOfDevModel(name, Object(modalities)), prices: readDevPrices(cost) }
  return { model: name, alias: id, figures: cost, row }
}

/** `/api/v1/models`: dollars per token as texts, by `provider/model`. */
const openrouter: FormatReader = {
  format: 'openrouter',
  figures: { areTexts: true, roundedNames: /./ },
  findRows(document, known) {
    const items = listOf(document)
    if (!items?.some(item => typeof Object(item).pricing === 'object' && 'id' in Object(item)))
      return undefined
    return items.map(item => toOpenrouterRow(item, known))
  },
}

const OpenrouterItem = z.looseObject({
  id: z.string(),
  pricing: z.looseObject({}),
  architecture: z.looseObject({ output_modalities: z.array(z.string()).optional() }).nullish(),
})

function toOpenrouterRow(item: unknown, known: KnownNames): FoundRow {
  const parsed = OpenrouterItem.safeParse(item)
  const id = String(Object(item).id ?? '')
  if (!parsed.success) return { model: id, figures: {}, row: undefined }
  const { pricing } = parsed.data
  const model = ownName(id, known)
  const prices = readTextPrices(pricing)
  return { model, figures: withoutLists(pricing), row: { kind: kindOfPrices(model, prices), prices } }
}

/** Lists are discounts of other kinds, which are not read. */
const withoutLists = (pricing: Facts): Facts =>
  Object.fromEntries(Object.entries(pricing).filter(([, value]) => typeof value !== 'object'))

/** `anthropic/claude-sonnet-4.5` is `claude-sonnet-4-5` to its provider. */
function ownName(id: string, known: KnownNames): string {
  const bare = id.slice(id.indexOf('/') + 1)
  return [id, bare, bare.replaceAll('.', '-')].find(known.has) ?? id
}

function readTextPrices(pricing: Facts): PriceList {
  const dollars = (field: string): number | undefined =>
    pricing[field] === undefined ? undefined : Number(pricing[field])
  const each = (field: string) => perMillion(dollars(field))
  const search = dollars('web_search')
  return withoutAbsent({
    input: each('prompt'),
    output: each('completion'),
    cached_input: each('input_cache_read'),
    cache_write: each('input_cache_write') || undefined,
    reasoning: each('internal_reasoning') || undefined,
    audio_input: each('audio') || undefined,
    request: dollars('request') || undefined,
    search: search ? { low: search, medium: search, high: search } : undefined,
  })
}

/** What a model is that only its prices describe. */
function kindOfPrices(model: string, prices: PriceList): ModelKind {
  const known = findModel(model)
  if (known) return known.kind
  return prices.input === undefined && prices.image !== undefined ? 'image' : 'chat'
}

/** `/api/pricing` of a gateway of this lineage: ratios, before those of groups. */
const pricing: FormatReader = {
  format: 'pricing',
  figures: { names: /ratio|price/ },
  findRows(document) {
    const items = listOf(document)
    if (!items?.some(item => 'model_name' in Object(item) && 'quota_type' in Object(item))) return undefined
    return items.map(toPricingRow)
  },
}

const figure = z.number().optional()
const PricingItem = z.looseObject({
  model_name: z.string(),
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: figure,
  model_price: figure,
  completion_ratio: figure,
  cache_ratio: figure,
  create_cache_ratio: figure,
  create_cache_ratio_1h: figure,
  long_prompts: z
    .array(
      z.looseObject({
        above: z.number(),
        model_ratio: z.number(),
        completion_ratio: z.number(),
        cache_ratio: figure,
      }),
    )
    .optional(),
})

function toPricingRow(item: unknown): FoundRow {
  const parsed = PricingItem.safeParse(item)
  const model = String(Object(item).model_name ?? '')
  if (!parsed.success) return { model, figures: item, row: undefined }
  const prices = readRatios(parsed.data)
  return { model, figures: item, row: { kind: kindOfPrices(model, prices), prices } }
}

function readRatios(row: z.infer<typeof PricingItem>): PriceList {
  const { quota_type, model_price, model_ratio = 0, completion_ratio = 1, long_prompts = [] } = row
  if (quota_type === 1) return model_price === undefined ? {} : { request: model_price }
  const dollars = (ratio: number | undefined, at = model_ratio): number | undefined =>
    ratio === undefined ? undefined : toDollars(at, ratio)
  const tiers = long_prompts.map(({ above, model_ratio: input, completion_ratio: output, cache_ratio }) =>
    withoutAbsent({
      above,
      input: dollars(1, input),
      output: dollars(output, input),
      cached_input: dollars(cache_ratio, input),
    }),
  )
  return withoutAbsent({
    input: dollars(1),
    output: dollars(completion_ratio),
    cached_input: dollars(row.cache_ratio),
    cache_write: dollars(row.create_cache_ratio),
    cache_write_1h: dollars(row.create_cache_ratio_1h),
    tiers: tiers.length > 0 ? tiers : undefined,
  })
}

/** The format of `contract/catalogue/models.json`. */
const catalogue: FormatReader = {
  format: 'catalogue',
  figures: { names: /^(?!size$|quality$)/ },
  findRows(document) {
    const { made, models } = Object(document)
    const entries = typeof made === 'string' ? entriesOf(models) : undefined
    return entries?.map(([model, entry]) => toCatalogueRow(model, entry, Object(models)))
  },
}

function toCatalogueRow(model: string, entry: unknown, models: object): FoundRow {
  const base: unknown = Object(entry).snapshot_of
  const found: unknown =
    typeof base === 'string' && Object.hasOwn(models, base) ? Reflect.get(models, base) : entry
  const parsed = CatalogueModel.strict().safeParse(found)
  const figures: unknown = Object(found).prices ?? {}
  if (!parsed.success) return { model, figures, row: undefined }
  const { kind, prices, retires, successor } = parsed.data
  return { model, figures, row: { kind, prices, retires, successor } }
}

function listOf(document: unknown): readonly unknown[] | undefined {
  const list: unknown = Array.isArray(document) ? document : Object(document).data
  return Array.isArray(list) ? list : undefined
}

/** Leaves out undefined members, which these types forbid. */
function withoutAbsent<Members extends object>(
  members: Members,
): { [Name in keyof Members]: Exclude<Members[Name], undefined> } {
  const present = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  return present as { [Name in keyof Members]: Exclude<Members[Name], undefined> }
}

export const FORMATS: readonly FormatReader[] = [catalogue, openrouter, pricing, modelsDev, litellm]
