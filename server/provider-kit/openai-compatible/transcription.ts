import { NO_USAGE, type Usage } from '../../core/usage.ts'
import { spokenTokens } from '../audio-seconds.ts'
import type { JsonObject } from '../chat.ts'
import type { Call, Replied } from '../exchange.ts'
import { countOf, isObject, listOf, objectOf, parseJson, textOf } from '../json.ts'
import type { TranscriptionExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import type { SpokenSegment, TranscriptionBody, TranscriptionReply } from '../transcription.ts'
import { usageFromTotals } from '../usage-buckets.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, formRequest } from './endpoint.ts'
import { openEventWatch } from './event-watch.ts'

interface OpenaiCompatibleTranscription extends EndpointDifferences<TranscriptionBody> {
  /** The vendor answers in JSON whatever form is asked for. */
  readonly isJsonOnly?: boolean
}

const TEXT_FORMATS: ReadonlySet<unknown> = new Set(['text', 'srt', 'vtt'])

/** Sound to text for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/audio */
export const openaiCompatibleTranscription = (vendor: OpenaiCompatibleTranscription = {}) =>
  exchangeOf('/v1/audio/transcriptions', vendor)

export const openaiCompatibleTranslation = (vendor: OpenaiCompatibleTranscription = {}) =>
  exchangeOf('/v1/audio/translations', vendor)

function exchangeOf(path: string, vendor: OpenaiCompatibleTranscription): TranscriptionExchange {
  return {
    request: call => formRequest(call, path, vendor.isJsonOnly ? withoutFormat(vendor) : vendor),
    answerKind(call, contentType) {
      if (contentType.includes('event-stream')) return 'passed'
      return TEXT_FORMATS.has(call.body.response_format) && !vendor.isJsonOnly ? 'text' : 'json'
    },
    reply: readTranscription,
    stream: () =>
      openEventWatch({ isLast: ({ type }) => type === 'transcript.text.done', usageOf: readSpokenUsage }),
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

const withoutFormat = ({ drop = [], ...vendor }: OpenaiCompatibleTranscription) => ({
  ...vendor,
  drop: [...drop, 'response_format'],
})

function readTranscription(answer: unknown, call: Call<TranscriptionBody>): Replied<TranscriptionReply> {
  if (typeof answer === 'string') return readWritten(answer, call)
  if (!isObject(answer) || answer.error || textOf(answer.text) === undefined)
    return { kind: 'failure', failure: readHiddenFailure(answer) }
  const usage = readSpokenUsage(answer)
  return {
    kind: 'reply',
    reply: {
      text: textOf(answer.text) ?? '',
      language: textOf(answer.language),
      seconds: Number(answer.duration) || undefined,
      segments: listOf(answer.segments).map(readSegment),
      json: answer,
    },
    usage,
  }
}

/** A text that is a JSON object is an error in disguise, unless it was really spoken. */
function readWritten(written: string, { body }: Call<TranscriptionBody>): Replied<TranscriptionReply> {
  const json = parseJson(written)
  return isObject(json) && json.error && body.response_format !== 'text'
    ? { kind: 'failure', failure: readHiddenFailure(json) }
    : { kind: 'reply', reply: { text: written, written } }
}

const readSegment = (json: unknown): SpokenSegment => {
  const { start, end, text } = objectOf(json)
  return { start: Number(start) || 0, end: Number(end) || 0, text: textOf(text) ?? '' }
}

/** By tokens, or by the time that was heard. */
export function readSpokenUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer.usage)
  const seconds = Number(usage.seconds ?? answer.duration)
  if (usage.type === 'duration' || (answer.usage === undefined && seconds > 0))
    return seconds > 0 ? { ...NO_USAGE, input: spokenTokens(seconds) } : undefined
  return usageFromTotals({
    prompt: countOf(usage.input_tokens) || countOf(usage.prompt_tokens),
    audioInput: countOf(objectOf(usage.input_token_details).audio_tokens),
    completion: countOf(usage.output_tokens) || countOf(usage.completion_tokens),
  })
}
