import type { BothLanguages, Language } from './language.ts'

/** A value may have a text in each language itself. */
type Values = Readonly<Record<string, string | number | BothLanguages>>

const DEFAULT_STATUS = 200
/** Rate limits, and a server that is busy. */
const RETRYABLE_STATUSES: readonly number[] = [429, 503]

/**
 * An expected error of the management API: a stable code for machines and a message in both languages. It is returned
 * with `success: false` and HTTP 200, except 400 (a missing confirmation), 401 (not signed in), 403 (a sign-in that was
 * started in another session, or a call that needs a recent one), 404 (a device code), 409 (more rows match than were
 * confirmed), 429 (rate limited), 503 (too many queries) and 504 (a query beyond its time limit).
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  /** What the caller needs to go on, as the `data` of the response. */
  data: object | undefined
  private readonly texts: BothLanguages
  private readonly values: Values

  constructor(code: string, texts: BothLanguages, values: Values = {}, status = DEFAULT_STATUS) {
    super(fill(texts.en, values, 'en'))
    this.code = code
    this.status = status
    this.texts = texts
    this.values = values
  }

  /** Set for errors whose message says when to try again. */
  get retryAfterSeconds(): number | undefined {
    const { seconds } = this.values
    return RETRYABLE_STATUSES.includes(this.status) && typeof seconds === 'number' ? seconds : undefined
  }

  in(language: Language): string {
    return fill(this.texts[language], this.values, language)
  }

  /** The same error with the subject in front of its message. */
  about(subject: string): ApiError {
    const both = { zh: `${subject}: ${this.texts.zh}`, en: `${subject}: ${this.texts.en}` }
    return new ApiError(this.code, both, this.values, this.status)
  }
}

const fill = (text: string, values: Values, language: Language): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name] ?? placeholder
    return typeof value === 'object' ? value[language] : String(value)
  })

/**
 * Defines the errors of a resource once, both languages side by side:
 * `const tokenError = apiErrors('token', { unknown: { zh: '…', en: '…' } })`, then `throw tokenError('unknown')`.
 * The code in responses is `token.unknown`.
 */
export function apiErrors<Name extends string>(
  area: string,
  texts: Readonly<Record<Name, BothLanguages>>,
  status?: number,
) {
  return (name: Name, values?: Values): ApiError =>
    new ApiError(`${area}.${name}`, texts[name], values, status)
}
