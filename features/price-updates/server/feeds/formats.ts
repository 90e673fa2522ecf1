import { z } from 'zod'
import { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { isObject, omitNullish } from '#server/provider-kit/json.ts'
import { type Facts, findUnknownPrice, perMillion } from './facts.ts'
import {
  type FeedEntry,
  type FormatReader,
  type FoundRow,
  type KnownNames,
  kindOfPrices,
  listEntries,
  unknownPrice,
} from './feed.ts'
import { findUnknownLitellmPrice, readLitellmEntry } from './litellm.ts'
import { DEV_PROVIDERS, findUnknownDevPrice, kindOfDevModel, readDevPrices } from './models-dev.ts'
import { pricing, ratioConfig } from './ratios.ts'

const entriesOf = (value: unknown): readonly FeedEntry[] | undefined =>
  isObject(value) ? Object.entries(value) : undefined

/** `model_prices_and_context_window.json`: dollars per token by `provider/model`. */
const litellm: FormatReader = {
  format: 'litellm',
  figures: {
    names: /_cost|_multiplier|^search_context_size/,
    roundedNames: /per_\w*(token|character)|token_cost/,
  },
  findEntries(document) {
    const entries = entriesOf(document)
    if (!entries?.some(([, entry]) => typeof Object(entry).litellm_provider === 'string')) return undefined
    return entries.filter(([key]) => key !== 'sample_spec')
  },
  readEntry: ([key, entry], { document }) => toLitellmRow(key, withAlias(entry, Object(document))),
}

const ALIASES_FOLLOWED_MAX = 5

/** An alias has what it does not say itself from the entry that it names. */
function withAlias(entry: unknown, map: Facts, followed = 0): unknown {
  if (!isObject(entry) || !('alias_of' in entry)) return entry
  const { alias_of: target, ...own } = entry
  const named = typeof target === 'string' && Object.hasOwn(map, target) ? map[target] : undefined
  if (named === undefined || followed === ALIASES_FOLLOWED_MAX) return undefined
  const base = withAlias(named, map, followed + 1)
  return isObject(base) ? { ...base, ...own } : undefined
}

const LitellmEntry = z.looseObject({ litellm_provider: z.string(), mode: z.string().optional() })

function toLitellmRow(key: string, entry: unknown): readonly FoundRow[] {
  const parsed = LitellmEntry.safeParse(entry)
  if (!parsed.success) return [{ model: key, figures: {}, row: undefined }]
  const facts: Facts = parsed.data
  const { name, model } = readLitellmEntry(key, facts) ?? {}
  if (name === undefined || !model) return []
  const { kind, prices, retires } = model
  const unknown = findUnknownLitellmPrice(facts)
  return [
    {
      model: name,
      figures: facts,
      row: { kind, prices, retires },
      problem: unknownPrice(name, facts, unknown),
    },
  ]
}

/** `api.json`: dollars per million tokens by provider and model. */
const modelsDev: FormatReader = {
  format: 'models_dev',
  figures: { names: /^(?!type$)/ },
  findEntries(document) {
    const providers = entriesOf(document)
    if (!providers?.some(([, provider]) => entriesOf(Object(provider).models))) return undefined
    return DEV_PROVIDERS.flatMap(([provider, , own]) => {
      const models = Object(providers.find(([name]) => name === provider)?.[1]).models
      return (entriesOf(models) ?? []).filter(([name]) => own.test(name))
    })
  },
  readEntry: entry => [toDevRow(entry)],
}

const DevEntry = z.looseObject({ id: z.string().optional(), cost: z.looseObject({}).optional() })

function toDevRow([name, entry]: readonly [string, unknown]): FoundRow {
  const parsed = DevEntry.safeParse(entry)
  if (!parsed.success) return { model: name, figures: {}, row: undefined }
  const { id, cost = {}, modalities } = parsed.data
  const row = { kind: kindOfDevModel(name, Object(modalities)), prices: readDevPrices(cost) }
  const problem = unknownPrice(name, cost, findUnknownDevPrice(cost))
  return { model: name, alias: id, figures: cost, row, problem }
}

/** `/api/v1/models`: dollars per token as texts, by `provider/model`. */
const openrouter: FormatReader = {
  format: 'openrouter',
  figures: { areTexts: true, roundedNames: /./ },
  findEntries: document => listEntries(document, item => typeof item.pricing === 'object' && 'id' in item),
  readEntry: ([, item], { known }) => [toOpenrouterRow(item, known)],
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
  const problem = unknownPrice(model, pricing, findUnknownPrice(pricing, /./, OPENROUTER_PRICE))
  return {
    model,
    figures: withoutLists(pricing),
    row: { kind: kindOfPrices(model, prices), prices },
    problem,
  }
}

/** Pictures and other sound keep their relation to text. */
const OPENROUTER_PRICE =
  /^(prompt|completion|request|web_search|internal_reasoning|input_cache_read|input_cache_write|audio|image|image_token|image_output|audio_output|input_audio_cache|discount)$/

/** A list has no figure of its own. */
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
  return omitNullish({
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

/** The format of `contract/catalogue/models.json`. */
const catalogue: FormatReader = {
  format: 'catalogue',
  figures: { names: /^(?!size$|quality$)/ },
  findEntries(document) {
    const { made, models } = Object(document)
    return typeof made === 'string' ? entriesOf(models) : undefined
  },
  readEntry: ([model, entry], { document }) => [
    toCatalogueRow(model, entry, Object(Object(document).models)),
  ],
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

export const FORMATS: readonly FormatReader[] = [
  catalogue,
  openrouter,
  pricing,
  ratioConfig,
  modelsDev,
  litellm,
]
