export type Language = 'zh' | 'en'
export type BothLanguages = Readonly<Record<Language, string>>
type Values = Readonly<Record<string, string | number>>

const ANSWERED_WITH = 200
const TOO_MANY_REQUESTS = 429

/**
 * The management API's "no": a stable code for machines, a sentence for people in their language.
 * Answered with `success: false` and HTTP 200; only "not signed in" (401), a sign-in that was not begun here (403) and
 * "too often" (429) have another status.
 */
export class ApiError extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  private readonly texts: BothLanguages
  private readonly values: Values

  constructor(code: string, texts: BothLanguages, values: Values = {}, status = ANSWERED_WITH) {
    super(fill(texts.en, values))
    this.code = code
    this.status = status
    this.texts = texts
    this.values = values
  }

  /** Set where the refusal says in how many seconds to try again. */
  get retryAfterSeconds(): number | undefined {
    const { seconds } = this.values
    return this.status === TOO_MANY_REQUESTS && typeof seconds === 'number' ? seconds : undefined
  }

  in(language: Language): string {
    return fill(this.texts[language], this.values)
  }

  /** The same refusal, saying what it is about. */
  about(subject: string): ApiError {
    const both = { zh: `${subject}: ${this.texts.zh}`, en: `${subject}: ${this.texts.en}` }
    return new ApiError(this.code, both, this.values, this.status)
  }
}

const fill = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))

/**
 * A resource states its refusals once, both languages side by side:
 * `const refuse = refusals('token', { name_required: { zh: '…', en: '…' } })`, then `throw refuse('name_required')`.
 * The code on the wire is `token.name_required`.
 */
export function apiErrors<Name extends string>(
  area: string,
  texts: Readonly<Record<Name, BothLanguages>>,
  status?: number,
) {
  return (name: Name, values?: Values): ApiError =>
    new ApiError(`${area}.${name}`, texts[name], values, status)
}
