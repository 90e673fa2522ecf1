/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Texts that differ with every run and have a name of their own: keys, addresses. */
export type NamedTexts = ReadonlyMap<string, string>

const DAY_SECONDS = 86_400
/** Responses are kept for a month. */
const FUTURE_DAYS = 60
const SECOND_MS = 1000

/** Fields that measure time, whatever their value. */
const DURATIONS: ReadonlySet<string> = new Set(['ms', 'use_ms', 'frt', 'frt_ms', 'use_time', 'response_time'])
/** Identifiers of rows, which depend on the calls before. */
const ROW_IDS: ReadonlySet<string> = new Set(['log_id'])

/** Identifiers of the gateway's own, by the placeholder that takes their place. */
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
 * Replaces what differs with every run: identifiers by their kind and the order of their first appearance, times and durations
 * by a word, and `texts` by their names. One instance for each case, so that its numbers begin at one.
 */
export class Normaliser {
  private readonly texts: NamedTexts
  private readonly seen = new Map<string, string>()
  private readonly counts = new Map<string, number>()

  constructor(texts: NamedTexts) {
    this.texts = texts
  }

  value(value: Json, name = ''): Json {
    if (value !== null && DURATIONS.has(name)) return '<duration>'
    if (ROW_IDS.has(name)) return '<row>'
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
    const known = this.seen.get(found)
    if (known !== undefined) return known
    const count = (this.counts.get(name) ?? 0) + 1
    const made = `<${name} ${count}>`
    this.counts.set(name, count)
    this.seen.set(found, made)
    return made
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** Seconds or milliseconds of these days. */
function isNow(value: number): boolean {
  const now = Date.now() / SECOND_MS
  const isNear = (seconds: number): boolean =>
    seconds > now - DAY_SECONDS && seconds < now + FUTURE_DAYS * DAY_SECONDS
  return isNear(value) || isNear(value / SECOND_MS)
}
