import { catalogueModels, findModel } from '#server/pricing/catalogue.ts'

/** 2026-01-10, 20260110 */
const DATE = /\b20\d{2}[-_ ]?(0[1-9]|1[0-2])[-_ ]?([0-2]\d|3[01])\b/g
const VERSION_CODE = /[-_ ]\d{4}$/

/**
 * What the names of one model have in common, whoever writes it: `anthropic/claude-4.8-opus-20260528`,
 * `claude-opus-4-8` and `Claude Opus 4.8` are the same. Words are in any order, numbers in theirs; providers in front,
 * variants behind a colon and dates do not count. Empty for texts without a letter or digit.
 */
export function modelKey(name: string): string {
  const parts =
    bareName(name)
      .replaceAll(DATE, ' ')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const numbers = parts.filter(part => /^\d+$/.test(part))
  // 2.0 is the same version as 2.
  if (numbers.length > 1 && numbers.at(-1) === '0') numbers.pop()
  const words = parts.filter(part => !/^\d+$/.test(part) && part !== 'latest')
  return [...words.sort(), ...numbers].join(' ')
}

/** `ft:gpt-4o-mini-2024-07-18:my-org::id` is a fine-tuned model, `provider/model:free` a variant. */
function bareName(name: string): string {
  const lower = name.toLowerCase().trim()
  if (lower.startsWith('ft:')) return `ft ${lower.split(':')[1] ?? ''}`
  const bare = lower.slice(lower.lastIndexOf('/') + 1)
  return bare.split(':')[0] ?? ''
}

/** Texts around the model in a line of a bill: `priority | gpt-5.6, output, long context`, `Claude Opus 4.6 Usage - Input Tokens`. */
const TIER = /^[a-z ]+\|\s*/i
const USAGE = /\s+usage(\s+-.*)?$/i
const REMARK = /\s*\([^)]*\)$/
const MODALITY = /\s+(text|audio|images?|video)$/i

/** The name of the model in a line of a bill, and whether the line is surely about one: it says which of its tokens. */
export function readModelName(item: string): { readonly name: string; readonly isSure: boolean } {
  const [model = '', ...kinds] = item.replace(TIER, '').split(',')
  const named = model.replace(USAGE, '').replace(REMARK, '').replace(MODALITY, '').trim()
  return { name: named, isSure: kinds.length > 0 || USAGE.test(model) }
}

/** Words that turn a model's thinking up or down, which the gateway takes off before it sends the name. */
const EFFORT = /-(thinking|nothinking|minimal|low|medium|high|xhigh|none)$/

/** The name that the provider bills for a name that is sent to it. */
export function billedName(model: string): string {
  const plain = model.replace(EFFORT, '')
  return plain !== model && findModel(plain) ? plain : model
}

let catalogueNames: ReadonlyMap<string, string> | undefined

/** The catalogue's name of a model, its shortest; undefined where it knows none. */
export function catalogueName(key: string): string | undefined {
  catalogueNames ??= indexCatalogue()
  return catalogueNames.get(key)
}

function indexCatalogue(): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const name of catalogueModels.keys()) {
    const key = modelKey(name)
    const found = names.get(key)
    if (found === undefined || name.length < found.length) names.set(key, name)
  }
  return names
}

/** The key without a version such as `-0613`, for bills that name the version of a model that was asked for without it. */
export const keyWithoutVersion = (name: string): string => modelKey(name.replace(VERSION_CODE, ''))
