import { NO_USAGE, type Usage } from '../../core/usage.ts'
import type {
  AdapterCall,
  AdapterResult,
  ImageEditsAdapter,
  ImagesAdapter,
  ImageVariationsAdapter,
  SpeechAdapter,
  StreamReader,
  TranscriptionAdapter,
} from '../contract/operation-adapter.ts'
import type {
  ImageEditsBody,
  ImagesBody,
  ImagesReply,
  ImageVariationsBody,
  SpeechBody,
  TranscriptionBody,
  TranscriptionReply,
  TranscriptSegment,
} from '../contract/operations.ts'
import {
  findUnknownFields,
  readAuthors,
  readImageUsage,
  readServedModel,
  toExtras,
  usageFromTotals,
  withExtras,
} from '../extra-usage.ts'
import { createFailureReader, invalidJsonFailure, readEmbeddedFailure } from '../failures.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject, parseJson } from '../json.ts'
import { audioDurationTokens } from '../media/duration.ts'
import { type EndpointOptions, formRequest, jsonRequest } from './request.ts'

/** Image generation for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/images */
export function openaiCompatibleImages(provider: EndpointOptions<ImagesBody> = {}): ImagesAdapter {
  return {
    request: call => jsonRequest(call, '/v1/images/generations', provider),
    ...imageResponseReaders,
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

/** Image edits for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/images/createEdit */
export function openaiCompatibleImageEdits(
  provider: EndpointOptions<ImageEditsBody> = {},
): ImageEditsAdapter {
  return {
    request: call => formRequest(call, '/v1/images/edits', provider),
    ...imageResponseReaders,
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

/**
 * Image variations for OpenAI-compatible providers. They are never streamed. Source:
 * platform.openai.com/docs/api-reference/images/createVariation
 */
export function openaiCompatibleImageVariations(
  provider: EndpointOptions<ImageVariationsBody> = {},
): ImageVariationsAdapter {
  return {
    request: call => formRequest(call, '/v1/images/variations', provider),
    reply: readImages,
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

const imageResponseReaders = {
  responseKind: (_: unknown, contentType: string) =>
    contentType.includes('event-stream') ? ('passthrough' as const) : ('json' as const),
  reply: readImages,
  /** Partial images, then the final one with the usage. */
  stream: () =>
    createEventObserver({
      isLastEvent: ({ type }) => asString(type)?.endsWith('.completed') === true,
      readUsage: readDrawnUsage,
    }),
}

/** Reads an images response. A response without a single image is a failure. */
export function readImages(json: unknown): AdapterResult<ImagesReply> {
  if (!isObject(json) || json.error || !Array.isArray(json.data))
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const { created, data, usage, ...extra } = json
  const images = data.filter(isObject).filter(({ url, b64_json }) => url || b64_json)
  if (images.length === 0) return { kind: 'failure', failure: readEmbeddedFailure(json) }
  return {
    kind: 'reply',
    reply: {
      created: asCount(created) || undefined,
      images,
      extra: isObject(usage) ? { ...extra, usage } : extra,
    },
    usage: readDrawnUsage(json),
  }
}

/** What the images of a response took, and the SVG that another model wrote for them. */
function readDrawnUsage(response: JsonObject): Usage | undefined {
  const usage = asObject(response.usage)
  const authors = readAuthors(response)
  const otherModels = authors.length > 0 ? authors : undefined
  const unknownFields = findUnknownFields(usage)
  return withExtras(readImageUsage(usage), toExtras({ otherModels, unknownFields }))
}

/** Text to speech for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export function openaiCompatibleSpeech(provider: EndpointOptions<SpeechBody> = {}): SpeechAdapter {
  return {
    request: call => jsonRequest(call, '/v1/audio/speech', provider),
    responseKind: (_, contentType) => (contentType.includes('json') ? 'json' : 'passthrough'),
    reply: json => ({ kind: 'failure', failure: readEmbeddedFailure(json) }),
    stream: () =>
      createEventObserver({
        isLastEvent: ({ type }) => type === 'speech.audio.done',
        readUsage: readSpeechUsage,
      }),
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

function readSpeechUsage({ usage }: JsonObject) {
  const { input_tokens, output_tokens } = asObject(usage)
  return usageFromTotals({ prompt: asCount(input_tokens), completion: asCount(output_tokens) })
}

interface OpenaiCompatibleTranscription extends EndpointOptions<TranscriptionBody> {
  /** The provider returns JSON for every requested format. */
  readonly isJsonOnly?: boolean
}

const TEXT_FORMATS: ReadonlySet<unknown> = new Set(['text', 'srt', 'vtt'])

/** Transcription for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/audio */
export const openaiCompatibleTranscription = (provider: OpenaiCompatibleTranscription = {}) =>
  transcriptionAdapter('/v1/audio/transcriptions', provider)

/**
 * Translation into English for OpenAI-compatible providers. Source:
 * platform.openai.com/docs/api-reference/audio/createTranslation
 */
export const openaiCompatibleTranslation = (provider: OpenaiCompatibleTranscription = {}) =>
  transcriptionAdapter('/v1/audio/translations', provider)

function transcriptionAdapter(path: string, provider: OpenaiCompatibleTranscription): TranscriptionAdapter {
  return {
    request: call => formRequest(call, path, provider.isJsonOnly ? withoutFormat(provider) : provider),
    responseKind(call, contentType) {
      if (contentType.includes('event-stream')) return 'passthrough'
      return TEXT_FORMATS.has(call.body.response_format) && !provider.isJsonOnly ? 'text' : 'json'
    },
    reply: readTranscription,
    stream: () =>
      createEventObserver({
        isLastEvent: ({ type }) => type === 'transcript.text.done',
        readUsage: readSpokenUsage,
      }),
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

const withoutFormat = ({ drop = [], ...provider }: OpenaiCompatibleTranscription) => ({
  ...provider,
  drop: [...drop, 'response_format'],
})

function readTranscription(
  response: unknown,
  call: AdapterCall<TranscriptionBody>,
): AdapterResult<TranscriptionReply> {
  if (typeof response === 'string') return readFormattedText(response, call)
  if (!isObject(response) || response.error || asString(response.text) === undefined)
    return { kind: 'failure', failure: readEmbeddedFailure(response) }
  const usage = readSpokenUsage(response)
  return {
    kind: 'reply',
    reply: {
      text: asString(response.text) ?? '',
      language: asString(response.language),
      seconds: Number(response.duration) || undefined,
      segments: asArray(response.segments).map(readSegment),
      json: response,
    },
    usage,
  }
}

/**
 * A text that is a JSON object with an error is a failure, unless plain text was requested, which may contain one.
 */
function readFormattedText(
  formattedText: string,
  { body }: AdapterCall<TranscriptionBody>,
): AdapterResult<TranscriptionReply> {
  const json = parseJson(formattedText)
  return isObject(json) && json.error && body.response_format !== 'text'
    ? { kind: 'failure', failure: readEmbeddedFailure(json) }
    : { kind: 'reply', reply: { text: formattedText, formattedText } }
}

const readSegment = (json: unknown): TranscriptSegment => {
  const { start, end, text } = asObject(json)
  return { start: Number(start) || 0, end: Number(end) || 0, text: asString(text) ?? '' }
}

/** Usage in tokens, or in seconds with our estimate of their tokens. */
export function readSpokenUsage(response: JsonObject): Usage | undefined {
  const usage = asObject(response.usage)
  const seconds = Number(usage.seconds ?? response.duration)
  if (usage.type === 'duration' || (response.usage === undefined && seconds > 0))
    return seconds > 0 ? { ...NO_USAGE, input: audioDurationTokens(seconds), seconds } : undefined
  return usageFromTotals({
    prompt: asCount(usage.input_tokens) || asCount(usage.prompt_tokens),
    audioInput: asCount(asObject(usage.input_token_details).audio_tokens),
    completion: asCount(usage.output_tokens) || asCount(usage.completion_tokens),
  })
}

interface ObservedEvents {
  /** The event that holds the usage. Nothing relevant follows it. */
  readonly isLastEvent: (event: JsonObject) => boolean
  readonly readUsage: (event: JsonObject) => Usage | undefined
}

/** Reads usage and failures from events that pass through. */
export function createEventObserver({ isLastEvent, readUsage }: ObservedEvents): StreamReader<never> {
  let usage: Usage | undefined
  let servedModel: string | undefined
  let isComplete = false
  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return []
      const event = parseJson(data)
      if (!isObject(event)) return [{ type: 'failure', failure: invalidJsonFailure() }]
      if (isError(event)) return [{ type: 'failure', failure: readEmbeddedFailure(toError(event)) }]
      servedModel = readServedModel(event) ?? servedModel
      if (!isLastEvent(event)) return []
      usage = readUsage(event)
      isComplete = true
      return []
    },
    end: () => ({ chunks: [], usage, isComplete, servedModel }),
  }
}

const isError = ({ type, error }: JsonObject): boolean => Boolean(error) || type === 'error'
const toError = (event: JsonObject): JsonObject => (event.error ? event : { error: event })
