import { z } from 'zod'
import { currentLanguage, type Language, translatorOf } from '../../ui/text/text.ts'
import { formText } from './text.ts'

const BilingualMessage = z.object({ zh: z.string(), en: z.string() })
const t = translatorOf(formText)

/** Message of a rule that has none of its own. */
function defaultMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'too_small') {
    return issue.minimum === 1 && issue.origin === 'string'
      ? t('required')
      : t('tooSmall', { least: Number(issue.minimum) })
  }
  if (issue.code === 'too_big')
    return t(issue.origin === 'string' ? 'tooLong' : 'tooBig', { most: Number(issue.maximum) })
  return issue.code === 'invalid_type' ? t('wrongType') : t('invalid')
}

z.config({ customError: defaultMessage })

/** Message of an issue in the given language. Rules of the contract bring messages in both languages. */
export function issueText(issue: z.core.$ZodIssue, language: Language = currentLanguage()): string {
  const message = BilingualMessage.safeParse('params' in issue ? issue.params : undefined)
  return message.success ? message.data[language] : issue.message
}
