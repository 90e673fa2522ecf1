/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Keys and addresses, which differ with every run, and the names in their place. */
export type NamedTexts = ReadonlyMap<string, string>

const SECOND_MS = 1000
/** The gateway starts a little earlier than the first case. */
const START_SECONDS = Date.now() / SECOND_MS - 120
/** Responses expire after this time, to the second. */
const KEPT_SECONDS = 30 * 86_400

/** Fields that measure time. A negative figure means that there is nothing to measure. */
const DURATIONS: ReadonlySet<string> = new Set(['ms', 'use_ms', 'frt', 'frt_ms', 'use_time', 'response_time'])

/** The gateway's own identifiers. `$1`: the name is the prefix of the identifier. */
const IDENTIFIERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['request', /(?<![A-Za-z0-9])20\d{21}[A-Za-z0-9]{8}(?![A-Za-z0-9])/g],
  ['drawing', /(?<![A-Za-z0-9])1[789]\d{14}(?![A-Za-z0-9])/g],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
  ['trace', /\b00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]\b/g],
  ['$1', /\b(chatcmpl|resp|msg|rs|fc|conv|call|toolu|item|cmpl|event|sess)[-_][A-Za-z0-9]{20,}\b/g],
]

const TIME = /(?<![\w.-])1[789]\d{8}(?:\d{3})?(?![\w.-])/g
const ISO_TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/**
 * Makes runs comparable: replaces identifiers by their kind and a number in the order of first appearance, times and durations
 * by a word, and `texts` by their names. Each case has an instance of its own, so that its numbers begin at one.
 */
export class Normaliser {
  private readonly texts: NamedTexts
  private readonly placeholders = new Map<string, string>()
  private readonly counts = new Map<string, number>()

  constructor(texts: NamedTexts) {
    this.texts = texts
  }

  value(value: Json, name = ''): Json {
    if (typeof value === 'number' && value >= 0 && DURATIONS.has(name)) return '<duration>'
    if (typeof value === 'number') return isNow(value) ? '<time>' : value
    if (typeof value === 'string') return this.text(value)
    if (value === null || typeof value === 'boolean') return value
    if (isList(value)) return value.map(one => this.value(one))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.value(one, key)]))
  }

  private text(text: string): string {
    let replaced = text
    for (const [found, name] of this.texts) replaced = replaced.replaceAll(found, name)
    for (const [name, pattern] of IDENTIFIERS)
      replaced = replaced.replace(pattern, (found: string, prefix: unknown) =>
        this.placeholder(name === '$1' ? String(prefix) : name, found),
      )
    return replaced
      .replace(TIME, digits => (isNow(Number(digits)) ? '<time>' : digits))
      .replace(ISO_TIME, time => (isNow(Date.parse(time) / SECOND_MS) ? '<time>' : time))
  }

  private placeholder(name: string, found: string): string {
    const known = this.placeholders.get(found)
    if (known !== undefined) return known
    const count = (this.counts.get(name) ?? 0) + 1
    const made = `<${name} ${count}>`
    this.counts.set(name, count)
    this.placeholders.set(found, made)
    return made
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** Seconds or milliseconds of this run, or of an expiry. Catalogues also have dates of these weeks, which stay. */
function isNow(value: number): boolean {
  const end = Date.now() / SECOND_MS + 1
  const isInRun = (seconds: number): boolean => seconds > START_SECONDS && seconds < end
  return [value, value / SECOND_MS].some(seconds => isInRun(seconds) || isInRun(seconds - KEPT_SECONDS))
}
