import { parseArgs } from 'node:util'
import { z } from 'zod'
import {
  type CatalogueFile,
  type CatalogueModel,
  CatalogueFile as FileSchema,
} from '#contract/catalogue/catalogue.ts'
import { type Models, readLitellm } from '#features/price-updates/server/feeds/litellm.ts'
import { readModelsDev } from '#features/price-updates/server/feeds/models-dev.ts'
import { loadProviders } from '#server/compose/modules.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { addListedCachePrice, earlierModel, earlierOutputLimit } from './earlier-models.ts'
import { addSupplements, addToolPrices, correctPrices } from './supplement.ts'

const USAGE = `
Usage: bun scripts/catalogue/build.ts --litellm FILE --models-dev FILE --date YYYY-MM-DD --source TEXT [--source TEXT]

Makes contract/catalogue/models.json. FILE is LiteLLM's model_prices_and_context_window.json and the api.json of
models.dev; both are MIT. See docs/reference/prices.md.
`
const OUT = 'contract/catalogue/models.json'
const SNAPSHOT = /^(.+?)-(\d{4})-?(\d{2})-?(\d{2})$/
const Sources = z.record(z.string(), z.record(z.string(), z.unknown()))

const { values: args } = parseArgs({
  options: {
    litellm: { type: 'string' },
    'models-dev': { type: 'string' },
    date: { type: 'string' },
    source: { type: 'string', multiple: true },
  },
})
if (!args.litellm || !args['models-dev'] || !args.date || !args.source) {
  process.stderr.write(USAGE)
  process.exit(1)
}

const models = readLitellm(Sources.parse(await Bun.file(args.litellm).json()))
const modelsDev = readModelsDev(Sources.parse(await Bun.file(args['models-dev']).json()))
for (const [name, model] of models) models.set(name, raiseOutputLimit(name, model))
addModelsDev(models)
for (const [name, model] of models) models.set(name, addListedCachePrice(name, model))
await addListed(models)
addSupplements(models)
correctPrices(models)
addToolPrices(models)
const file = { made: args.date, sources: args.source, models: toEntries(models) }
FileSchema.parse(file)
await Bun.write(OUT, print(file))
process.stdout.write(`${models.size} models in ${OUT}\n`)

/**
 * A limit that is too low holds too little and makes true usage look false, so where the sources differ the highest
 * counts.
 */
function raiseOutputLimit(name: string, model: CatalogueModel): CatalogueModel {
  const [, family = ''] = SNAPSHOT.exec(name) ?? []
  const other = (modelsDev.get(name) ?? modelsDev.get(family))?.model?.output_limit
  if (model.kind !== 'chat' || other === model.output_limit) return model
  const limit = Math.max(model.output_limit ?? 0, other ?? 0, earlierOutputLimit(name) ?? 0)
  return limit > 0 ? { ...model, output_limit: limit } : model
}

/** models.dev knows days of release, models that LiteLLM lacks, and prices that LiteLLM gives as 0. */
function addModelsDev(into: Models): void {
  for (const [name, { released, model }] of modelsDev) {
    const known = into.get(name)
    if (!known) {
      if (model) into.set(name, model)
      continue
    }
    const isUnpriced = known.kind === 'chat' && !known.prices.input && !known.prices.output
    into.set(name, {
      ...known,
      ...(released && { released }),
      ...(isUnpriced && model && { prices: { ...known.prices, ...model.prices } }),
    })
  }
}

/** Every model that a channel type lists is known. */
async function addListed(into: Models): Promise<void> {
  const providers = createRegistry(await loadProviders()).all()
  for (const { name: provider, models: listed } of providers)
    for (const name of listed) if (!into.has(name)) into.set(name, earlierModel({ name, provider }))
}

function toEntries(from: Models): CatalogueFile['models'] {
  const named = [...from].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(named.map(([name, model]) => [name, toEntry(name, model, from)]))
}

function toEntry(name: string, model: CatalogueModel, from: Models): CatalogueFile['models'][string] {
  const [, family = '', year, month, day] = SNAPSHOT.exec(name) ?? []
  const released = year && { released: `${year}-${month}-${day}` }
  const dated = { ...model, ...released }
  const base = from.get(family)
  if (!base || facts(base) !== facts(model)) return dated
  return {
    snapshot_of: family,
    ...(dated.released && { released: dated.released }),
    ...(model.retires && { retires: model.retires }),
  }
}

function facts({ released: _, retires: __, ...rest }: CatalogueModel): string {
  return JSON.stringify(rest)
}

/** A line for each model, so that a difference shows what changed. */
function print({ made, sources, models: entries }: CatalogueFile): string {
  const lines = Object.entries(entries).map(
    ([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(entry)}`,
  )
  return `{"made":${JSON.stringify(made)},\n"sources":${JSON.stringify(sources)},\n"models":{\n${lines.join(',\n')}\n}}\n`
}
