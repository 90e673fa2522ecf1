import { findModel } from '#server/pricing/catalogue.ts'
import type { SpeechBody, SpeechReply, TranscriptionBody } from '#server/provider-kit/contract/operations.ts'
import { estimateTextTokens } from '#server/provider-kit/estimate-tokens.ts'
import { audioDurationTokens, audioSeconds } from '#server/provider-kit/media/duration.ts'
import { jsonDialect } from '#server/relay/operations/simple-operations.ts'
import type { ModelOperation } from '#server/relay/types.ts'

/** Whether the provider charges for characters instead of tokens. */
const isPricedByCharacter = (model: string): boolean =>
  findModel(model)?.prices.characters !== undefined || model.startsWith('tts')

/** Text to speech. */
export const speech: ModelOperation = {
  name: 'speech',
  findDialect: client => jsonDialect(client.speech),
  findAdapter: provider => provider.speech,
  inputTokens: ({ model, input }: SpeechBody) =>
    isPricedByCharacter(model) ? [...input].length : estimateTextTokens(input),
  outputTokens: () => 0,
  hasOutput: (reply: SpeechReply) => reply.audio.byteLength > 0,
}

const audioTokens = ({ file }: TranscriptionBody): number => audioDurationTokens(audioSeconds(file.bytes))

/** Speech to text in the spoken language. */
export const transcription: ModelOperation = {
  name: 'transcription',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.transcription),
  findAdapter: provider => provider.transcription,
  inputTokens: audioTokens,
  inputAudioTokens: audioTokens,
  // Nobody speaks more words than this in the time.
  outputTokensMax: inputTokens => inputTokens,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Speech to English text. */
export const translation: ModelOperation = {
  ...transcription,
  name: 'translation',
  findAdapter: provider => provider.translation,
}
