import { CatalogueFile, type CatalogueModel } from '#contract/catalogue/catalogue.ts'
import data from '#contract/catalogue/models.json'

const { made, sources, models } = CatalogueFile.parse(data)

/** When and from where the facts of the catalogue were collected. */
export const catalogueOrigin = { made, sources }

/** The bundled models by name. Dated versions that are and cost the same as their model carry its facts. */
export const catalogueModels: ReadonlyMap<string, CatalogueModel> = new Map(
  Object.entries(models).map(([name, entry]) => [name, resolveEntry(name, entry)]),
)

function resolveEntry(name: string, entry: CatalogueFile['models'][string]): CatalogueModel {
  if (!('snapshot_of' in entry)) return entry
  const { snapshot_of, ...dates } = entry
  const model = models[snapshot_of]
  if (!model || 'snapshot_of' in model)
    throw new Error(`${name} is a version of an unknown model ${snapshot_of}`)
  return { ...model, ...dates }
}

/** gpt-5.4-2026-03-05, claude-opus-4-8-20260528 */
const DATED = /^(.+?)-(\d{4}-\d{2}-\d{2}|20\d{6})$/

/** The model of this name, or the one that the name is a dated version of. */
export function findModel(name: string): CatalogueModel | undefined {
  const model = catalogueModels.get(name)
  if (model) return model
  const family = familyOfDated(name)
  return family === undefined ? undefined : catalogueModels.get(family)
}

/** The name without its date; undefined for a name without one. */
export const familyOfDated = (name: string): string | undefined => DATED.exec(name)?.[1]

/** The model of this name, or the known one with the longest name that it begins with: `gpt-4o` for `gpt-4o-of-mine`. */
export function findFamily(name: string): CatalogueModel | undefined {
  for (let end = name.length; end > 0; end = name.lastIndexOf('-', end - 1)) {
    const model = findModel(name.slice(0, end))
    if (model) return model
  }
  return undefined
}
