import { z } from 'zod'
import type { Ask, Operation } from '../operation.ts'
import { openai } from './vendor.ts'

const SPOKEN = 'Hello from the lab.'
const SECONDS = 6
const SOUND_CHARS_PER_CHAR = 100

const SpeechAsk = z
  .object({ model: z.string().min(1), input: z.string().min(1), voice: z.string().min(1) })
  .transform(
    ({ model, input }): Ask => ({
      model,
      lastText: input,
      isStream: false,
      reply: () => ({
        whole: () => undefined,
        written: () => ({
          contentType: 'audio/mpeg',
          text: `ID3${'.'.repeat(input.length * SOUND_CHARS_PER_CHAR)}`,
        }),
      }),
    }),
  )

/** Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export const speech: Operation = {
  method: 'POST',
  path: /\/v1\/audio\/speech$/,
  vendor: openai,
  read: body => SpeechAsk.safeParse(body),
}

const TranscriptionAsk = z
  .object({
    model: z.string().min(1),
    file: z.object({ name: z.string(), bytes: z.number().min(1) }),
    response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).default('json'),
  })
  .transform(
    ({ model, response_format }): Ask => ({
      model,
      lastText: '',
      isStream: false,
      reply: () => ({
        whole: () => ({ text: SPOKEN, usage: { type: 'duration', seconds: SECONDS } }),
        ...(/text|srt|vtt/.test(response_format) && {
          written: () => ({ contentType: 'text/plain; charset=utf-8', text: `${SPOKEN}\n` }),
        }),
      }),
    }),
  )

/** In its own language, or in English. Source: platform.openai.com/docs/api-reference/audio */
export const transcriptions: Operation = {
  method: 'POST',
  path: /\/v1\/audio\/(?:transcriptions|translations)$/,
  vendor: openai,
  read: body => TranscriptionAsk.safeParse(body),
}
