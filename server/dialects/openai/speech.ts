import { z } from 'zod'
import type { Usage } from '../../core/usage.ts'
import { type ParsedBody, RawResponseBody } from '../../provider-kit/contract/client-dialect.ts'
import type { SpeechBody, SpeechReply } from '../../provider-kit/contract/operations.ts'
import { estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import { checkBody } from '../../provider-kit/validation.ts'
import { withDefaultModel } from './with-default-model.ts'

const MODEL_DEFAULT = 'tts-1'
const MODEL_CHARS_MAX = 256
const INPUT_CHARS_MAX = 100_000
/** Sound of these models is counted in tokens of its own: about six for a token of the text that is spoken. */
const COUNTS_SOUND = /^(gpt|gemini)-/
const SOUND_TOKENS_PER_TEXT_TOKEN = 6

const SpeechJson = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARS_MAX),
  input: z.string().min(1).max(INPUT_CHARS_MAX),
  voice: z.union([z.string(), z.looseObject({})], { error: 'the name of a voice' }).nullish(),
  response_format: z.string().nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
})

/** Reads a body that asks for sound. Unknown fields stay. */
export function parseSpeech(json: unknown): ParsedBody<SpeechBody> {
  const body = toSpeechBody(withDefaultModel(json, MODEL_DEFAULT))
  const soundTokens = COUNTS_SOUND.test(body.model)
    ? estimateTextTokens(body.input) * SOUND_TOKENS_PER_TEXT_TOKEN
    : 0
  return {
    body,
    model: body.model,
    isStream: body.stream_format === 'sse',
    maxOutputTokens: soundTokens,
    wantsUsage: false,
  }
}

export const writeSpeechReply = ({ contentType, audio }: SpeechReply, _: Usage): RawResponseBody =>
  new RawResponseBody(contentType, audio)

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toSpeechBody(json: unknown): SpeechBody {
  checkBody(SpeechJson, json)
  return json as SpeechBody
}
