import { GatewayError } from '../../core/errors.ts'
import type { RelaySettings } from '../relay-context.ts'
import type { RelayRequest } from './relay-request.ts'

/** Refuses a prompt that holds a word of the list, before anything is held or sent. Throws GatewayError. */
export function rejectSensitiveWords(
  { operation, body }: Pick<RelayRequest, 'operation' | 'body'>,
  { sensitiveWords }: RelaySettings,
): void {
  if (!sensitiveWords || !operation.promptTexts) return
  for (const text of operation.promptTexts(body)) {
    const word = sensitiveWords.find(text)
    if (word !== undefined)
      throw new GatewayError(
        'sensitive_words_detected',
        `the prompt holds ${JSON.stringify(word)}, which is not allowed here`,
      )
  }
}
