import { z } from 'zod'

export const MAPPING_TEMPLATE = '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}'

const Mapping = z.record(z.string(), z.string())

export interface MappingPair {
  readonly from: string
  readonly to: string
}

/** The pairs of a mapping's JSON text, none for empty text. Undefined unless the text is an object of strings. */
export function parsePairs(text: string): readonly MappingPair[] | undefined {
  if (text.trim() === '') return []
  try {
    const { data } = Mapping.safeParse(JSON.parse(text))
    return data && Object.entries(data).map(([from, to]) => ({ from, to }))
  } catch {
    return undefined
  }
}

/** The JSON text of the complete pairs; empty when there is none. */
export function formatPairs(pairs: readonly MappingPair[]): string {
  const filled = pairs.filter(({ from, to }) => from.trim() !== '' && to.trim() !== '')
  if (filled.length === 0) return ''
  return JSON.stringify(Object.fromEntries(filled.map(({ from, to }) => [from.trim(), to.trim()])), null, 2)
}

interface MappingWarningModels {
  /** The channel does not offer these names, so that no request reaches the mapping. */
  readonly unoffered: readonly string[]
  /** These targets can also be requested by their own name. */
  readonly exposed: readonly string[]
  /** These names map back to themselves over other names. */
  readonly looping: readonly string[]
  readonly repeated: readonly string[]
}

/** Finds mappings that are valid but probably unintended. */
export function findMappingWarnings(
  pairs: readonly MappingPair[],
  models: readonly string[],
): MappingWarningModels {
  const filled = pairs.filter(({ from, to }) => from !== '' && to !== '')
  const offered = new Set(models)
  const target = new Map(filled.map(({ from, to }) => [from, to]))
  const sources = filled.map(({ from }) => from)
  return {
    unoffered: distinct(sources.filter(from => !offered.has(from))),
    exposed: distinct([...target].filter(([from, to]) => from !== to && offered.has(to)).map(([, to]) => to)),
    looping: distinct(sources.filter(from => isLoop(from, target))),
    repeated: distinct(sources.filter((from, index) => sources.indexOf(from) !== index)),
  }
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)]

/** A name mapped directly to itself is not a loop. */
function isLoop(from: string, target: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>()
  let name = target.get(from)
  if (name === from) return false
  while (name !== undefined && !seen.has(name)) {
    if (name === from) return true
    seen.add(name)
    name = target.get(name)
  }
  return false
}

/** The names under which the models of a channel are sent to its provider. */
export function upstreamModels({ models, model_mapping }: UpstreamNames): readonly string[] {
  const target = new Map((parsePairs(model_mapping) ?? []).map(({ from, to }) => [from, to]))
  return distinct(models.map(model => target.get(model) ?? model))
}

interface UpstreamNames {
  readonly models: readonly string[]
  readonly model_mapping: string
}

/** Status mappings that report a failure as success, as `400 → 200`. */
export function findHiddenFailures(text: string): readonly string[] {
  try {
    const { data = {} } = z.record(z.string(), z.coerce.string()).safeParse(JSON.parse(text))
    return Object.entries(data)
      .filter(([from, to]) => Number(from) >= 400 && Number(to) < 400)
      .map(([from, to]) => `${from} → ${to}`)
  } catch {
    return []
  }
}
