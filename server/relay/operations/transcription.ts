import { audioSeconds, spokenTokens } from '../../provider-kit/audio-seconds.ts'
import type { TranscriptionBody } from '../../provider-kit/transcription.ts'
import { type Operation, jsonDialect } from './operation.ts'

function soundOf({ file }: TranscriptionBody): number {
  return spokenTokens(audioSeconds(file.bytes))
}

/** Sound to text, in the language that is spoken. */
export const transcription: Operation = {
  name: 'transcription',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.transcription),
  findAdapter: provider => provider.transcription,
  inputTokens: soundOf,
  inputAudioTokens: soundOf,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Sound to English text. */
export const translation: Operation = {
  ...transcription,
  name: 'translation',
  findAdapter: provider => provider.translation,
}
