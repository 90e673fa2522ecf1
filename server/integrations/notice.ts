import type { BothLanguages } from '../core/api-error.ts'
import type { Letter } from './letter.ts'

/** Something told to somebody who is not asking. Their language is not known, so it is said in both. */
export interface Notice {
  /** For machines. */
  readonly type: string
  readonly subject: BothLanguages
  readonly text: BothLanguages
  readonly link?: { readonly text: BothLanguages; readonly url: string }
  /** The figures and names in the text, in order. */
  readonly values: readonly string[]
}

export const letterOf = ({ subject, text, link }: Notice): Letter => ({
  subject: `${subject.zh} / ${subject.en}`,
  lines: [text.zh, text.en],
  ...(link && { link: { text: `${link.text.zh} / ${link.text.en}`, url: link.url } }),
})

/** The body of a webhook. */
export const webhookBodyOf = ({ type, subject, text, values }: Notice, atSeconds: number): string =>
  JSON.stringify({
    type,
    title: `${subject.zh} / ${subject.en}`,
    content: `${text.zh}\n${text.en}`,
    values,
    timestamp: atSeconds,
  })
