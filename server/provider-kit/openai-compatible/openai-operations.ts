import { openaiCompatibleCompletions } from './completions.ts'
import { openaiCompatibleEmbeddings } from './embeddings.ts'
import { openaiCompatibleImageEdits, openaiCompatibleImages } from './images.ts'
import { openaiCompatibleModeration } from './moderation.ts'
import { openaiCompatibleRealtime } from './realtime.ts'
import { openaiCompatibleSpeech } from './speech.ts'
import { openaiCompatibleTranscription, openaiCompatibleTranslation } from './transcription.ts'

/** The models that know no chat. */
const GOES_ON = /-instruct|davinci|babbage|curie|(?:^|-)ada(?:-|$)/

/** All that OpenAI can do beside chat, at its own paths: for OpenAI and those who resell it. */
export const openaiOperations = {
  completions: openaiCompatibleCompletions({ serves: model => GOES_ON.test(model) }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  imageEdits: openaiCompatibleImageEdits(),
  speech: openaiCompatibleSpeech(),
  transcription: openaiCompatibleTranscription(),
  translation: openaiCompatibleTranslation(),
  moderation: openaiCompatibleModeration(),
  realtime: openaiCompatibleRealtime(),
}
