import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { type ParsedBody, RawResponseBody } from '../../provider-kit/contract/client-dialect.ts'
import type {
  TranscriptionBody,
  TranscriptionReply,
  TranscriptSegment,
} from '../../provider-kit/contract/operations.ts'

const TEXT_TYPES: Readonly<Record<string, string>> = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** In the form that was asked for, whatever the vendor gave. */
export function writeTranscriptionReply(
  reply: TranscriptionReply,
  usage: Usage,
  { body: { response_format = 'json' } }: ParsedBody<TranscriptionBody>,
): JsonObject | RawResponseBody {
  const contentType = TEXT_TYPES[response_format]
  if (contentType)
    return new RawResponseBody(contentType, reply.formattedText ?? writeText(reply, response_format))
  if (reply.json) return reply.json
  return response_format === 'json' ? { text: reply.text, usage: usageOf(usage) } : verbose(reply)
}

function writeText(reply: TranscriptionReply, format: string): string {
  if (format === 'text') return `${reply.text}\n`
  const cues = segmentsOf(reply).map((segment, index) => cueOf(segment, index, format))
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('\n')
}

/** Without times of its own all of the text is one piece. */
const segmentsOf = ({
  segments = [],
  text,
  seconds = 0,
}: TranscriptionReply): readonly TranscriptSegment[] =>
  segments.length > 0 ? segments : [{ start: 0, end: seconds, text }]

function cueOf({ start, end, text }: TranscriptSegment, index: number, format: string): string {
  const comma = format === 'srt' ? ',' : '.'
  const times = `${clock(start, comma)} --> ${clock(end, comma)}\n${text.trim()}\n`
  return format === 'srt' ? `${index + 1}\n${times}` : times
}

/** `01:02:03,456` */
function clock(seconds: number, comma: string): string {
  const ms = Math.round(seconds * 1000)
  const part = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0')
  return `${part(ms / 3_600_000)}:${part((ms / 60_000) % 60)}:${part((ms / 1000) % 60)}${comma}${part(ms % 1000, 3)}`
}

const verbose = (reply: TranscriptionReply): JsonObject => ({
  task: 'transcribe',
  language: reply.language ?? '',
  duration: reply.seconds ?? 0,
  text: reply.text,
  segments: segmentsOf(reply).map((segment, id) => ({ id, ...segment })),
})

const usageOf = (usage: Usage): JsonObject => ({
  type: 'tokens',
  input_tokens: promptTokens(usage),
  output_tokens: completionTokens(usage),
  total_tokens: promptTokens(usage) + completionTokens(usage),
})
