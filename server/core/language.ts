/** A language that the product is written in. */
export type Language = 'zh' | 'en'

/** A text of ours in both languages. */
export type BothLanguages = Readonly<Record<Language, string>>

/** A message in English, and in Chinese where it is ours. A provider's own message stays as it is. */
export interface LocalizedMessage {
  readonly message: string
  readonly messageZh?: string | undefined
}

/** Both languages of a text that is the same in both: a provider's own message, a code. */
export const sameInBoth = (text: string): BothLanguages => ({ zh: text, en: text })

/** Both languages of a message. */
export const textsOf = ({ message, messageZh = message }: LocalizedMessage): BothLanguages => ({
  zh: messageZh,
  en: message,
})

/** The fields of an error or a failure whose message is ours. */
export const ownMessage = ({ zh, en }: BothLanguages): { message: string; messageZh: string } => ({
  message: en,
  messageZh: zh,
})

/** The same error with its message in the reader's language. */
export const inLanguage = <Localized extends LocalizedMessage>(
  error: Localized,
  language: Language,
): Localized => (language === 'en' ? error : { ...error, ...ownMessage(sameInBoth(textsOf(error).zh)) })

/**
 * The language that a client prefers, by its `Accept-Language`. The fallback applies when it names neither of ours, as
 * SDKs do.
 */
export function preferredLanguage(acceptLanguage: string | null, fallback: Language): Language {
  if (!acceptLanguage) return fallback
  let best: { readonly language: Language; readonly weight: number } | undefined
  for (const part of acceptLanguage.slice(0, HEADER_CHARS_MAX).split(',')) {
    const [, name, q] = LANGUAGE_RANGE.exec(part) ?? []
    const language = name?.toLowerCase()
    const weight = q === undefined ? 1 : Number(q)
    if ((language === 'zh' || language === 'en') && weight > (best?.weight ?? 0)) best = { language, weight }
  }
  return best?.language ?? fallback
}

const HEADER_CHARS_MAX = 256
/** One language with its weight: `zh-CN`, `en;q=0.8`. Source: RFC 9110, section 12.5.4. */
const LANGUAGE_RANGE = /^\s*([a-z]{2})(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+))?\s*$/i

/** Separates the languages of a stored text. Texts hold no control characters. */
const SEPARATOR = '\u001e'

/**
 * A text of ours as the database stores it: English, then Chinese where it differs. A text that is cut off keeps its
 * English, and rows with a single language read the same in both.
 */
export const toStoredText = ({ zh, en }: BothLanguages): string => {
  const english = withoutSeparator(en)
  return zh === en ? english : english + SEPARATOR + withoutSeparator(zh)
}

const withoutSeparator = (text: string): string => text.replaceAll(SEPARATOR, ' ')

/** Reads a stored text in the reader's language. */
export function readStoredText(stored: string, language: Language): string {
  const at = stored.indexOf(SEPARATOR)
  if (at < 0) return stored
  return language === 'en' ? stored.slice(0, at) : stored.slice(at + SEPARATOR.length)
}

/** Shortens texts to this many bytes together. */
export function clipTexts({ zh, en }: BothLanguages, bytesMax: number): BothLanguages {
  const each = zh === en ? bytesMax : bytesMax / 2
  return { zh: clipText(zh, each), en: clipText(en, each) }
}

const ELLIPSIS = '…'

function clipText(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.byteLength <= bytesMax) return text
  // A character that is cut in two decodes to the replacement character.
  const kept = bytes
    .subarray(0, bytesMax - Buffer.byteLength(ELLIPSIS))
    .toString()
    .replace(/\uFFFD$/, '')
  return kept + ELLIPSIS
}
