import { z } from 'zod'
import { fixedOperation, type LabOperation, type LabRequest } from '../operation.ts'
import { openai } from './provider.ts'

const TRANSCRIPT = 'Hello from the lab.'
const AUDIO_SECONDS = 6
const AUDIO_BYTES_PER_CHAR = 100

const SpeechRequest = z
  .object({ model: z.string().min(1), input: z.string().min(1), voice: z.string().min(1) })
  .transform(
    ({ model, input }): LabRequest => ({
      model,
      lastText: input,
      isStream: false,
      reply: () => ({
        json: () => undefined,
        content: () => ({
          contentType: 'audio/mpeg',
          text: `ID3${'.'.repeat(input.length * AUDIO_BYTES_PER_CHAR)}`,
        }),
      }),
    }),
  )

/** Text to speech. Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export const speech: LabOperation = {
  method: 'POST',
  path: /\/v1\/audio\/speech$/,
  provider: openai,
  read: body => SpeechRequest.safeParse(body),
}

const TranscriptionRequest = z
  .object({
    model: z.string().min(1),
    file: z.object({ name: z.string(), bytes: z.number().min(1) }),
    response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).default('json'),
  })
  .transform(
    ({ model, response_format }): LabRequest => ({
      model,
      lastText: '',
      isStream: false,
      reply: () => ({
        json: () => ({ text: TRANSCRIPT, usage: { type: 'duration', seconds: AUDIO_SECONDS } }),
        ...(/text|srt|vtt/.test(response_format) && {
          content: () => ({ contentType: 'text/plain; charset=utf-8', text: `${TRANSCRIPT}\n` }),
        }),
      }),
    }),
  )

/** Transcription, and translation into English. Source: platform.openai.com/docs/api-reference/audio */
export const transcriptions: LabOperation = {
  method: 'POST',
  path: /\/v1\/audio\/(?:transcriptions|translations)$/,
  provider: openai,
  read: body => TranscriptionRequest.safeParse(body),
}

/** The list of compatible speech servers. OpenAI has none. Source: github.com/remsky/Kokoro-FastAPI */
export const voices = fixedOperation(openai, /\/v1\/audio\/voices$/, () => ({
  voices: [
    { id: 'lab_ada', name: 'Ada' },
    { id: 'lab_alan', name: 'Alan' },
  ],
}))
