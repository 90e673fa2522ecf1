import { estimateTextTokens } from '../../provider-kit/estimate.ts'
import type { SpeechBody, SpeechReply } from '../../provider-kit/speech.ts'
import { type Operation, jsonDialect } from './operation.ts'

/** Models of this name are priced by the character, others by the token. */
const PRICED_BY_CHARACTER = /^tts/

/** Text to sound. */
export const speech: Operation = {
  name: 'speech',
  findDialect: client => jsonDialect(client.speech),
  findAdapter: provider => provider.speech,
  inputTokens: ({ model, input }: SpeechBody) =>
    PRICED_BY_CHARACTER.test(model) ? [...input].length : estimateTextTokens(input),
  promptTexts: ({ input }: SpeechBody) => [input],
  outputTokens: () => 0,
  hasOutput: (reply: SpeechReply) => reply.audio.byteLength > 0,
}
