import { z } from 'zod'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { TranscriptionBody } from '../../provider-kit/contract/operations.ts'
import { checkBody } from '../../provider-kit/validation.ts'
import { sentFile } from './sent-file.ts'
import { withDefaultModel } from './with-default-model.ts'

const MODEL_DEFAULT = 'whisper-1'
const MODEL_CHARS_MAX = 256

const TranscriptionForm = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARS_MAX),
  file: sentFile,
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).optional(),
  language: z.string().optional(),
  stream: z.enum(['true', 'false']).optional(),
})

/** Reads a form with a sound file. Unknown fields stay. */
export function parseTranscription(fields: unknown): ParsedBody<TranscriptionBody> {
  const body = toTranscriptionBody(withDefaultModel(fields, MODEL_DEFAULT))
  return {
    body,
    model: body.model,
    isStream: body.stream === 'true',
    wantsUsage: false,
  }
}

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toTranscriptionBody(fields: unknown): TranscriptionBody {
  checkBody(TranscriptionForm, fields)
  return fields as TranscriptionBody
}
