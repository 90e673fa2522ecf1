import { z } from 'zod'
import { GatewayError } from '../../core/errors.ts'
import { ownEntry } from '../../core/json/json.ts'
import { MIB } from '../../core/limits.ts'
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import {
  type ParsedBody,
  RawResponseBody,
  type UrlParams,
} from '../../provider-kit/contract/client-dialect.ts'
import {
  type ImageEditsBody,
  type ImagesBody,
  type ImagesReply,
  type ImageVariationsBody,
  imageCount,
  type SpeechBody,
  type SpeechReply,
  type TranscriptionBody,
  type TranscriptionReply,
  type TranscriptSegment,
} from '../../provider-kit/contract/operations.ts'
import { estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { FormFile, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withDefaultModel } from '../../provider-kit/validation.ts'

const IMAGE_MODEL_DEFAULT = 'dall-e-2'
const PROMPT_CHARS_MAX = 100_000
const IMAGES_MAX = 10
const SOURCE_IMAGES_MAX = 16
const SIZE_CHARS_MAX = 32
/** Source: platform.openai.com/docs/api-reference/images/createVariation */
const DALL_E_2_BYTES_LIMIT = 4 * MIB

const modelName = z.string().min(1).max(MODEL_NAME_CHARS_MAX)
const imagePrompt = z.string().min(1).max(PROMPT_CHARS_MAX)
const imageSize = z
  .string()
  .max(SIZE_CHARS_MAX)
  .refine(text => !text.includes('×'), {
    error: expected({
      zh: '用字母 x 表示的尺寸，如 1024x1024',
      en: 'a size with the letter x, as in 1024x1024',
    }),
  })

const ImagesJson = z.looseObject({
  model: modelName,
  prompt: imagePrompt,
  n: z.int().min(1).max(IMAGES_MAX).nullish(),
  size: imageSize.nullish(),
  quality: z.string().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  stream: z.boolean().nullish(),
})

const formFile = z
  .custom<FormFile>(value => value instanceof FormFile, { error: expected({ zh: '文件', en: 'a file' }) })
  .refine(({ bytes }) => bytes.length > 0, {
    error: expected({ zh: '非空文件', en: 'a file that is not empty' }),
  })

const formCount = z.string().regex(/^([1-9]|10)$/, {
  error: expected({ zh: `1 到 ${IMAGES_MAX} 的整数`, en: `a whole number from 1 to ${IMAGES_MAX}` }),
})

const ImageEditsForm = z.looseObject({
  model: modelName,
  prompt: imagePrompt,
  image: z.array(formFile).min(1).max(SOURCE_IMAGES_MAX),
  mask: formFile.optional(),
  n: formCount.optional(),
  size: imageSize.optional(),
  quality: z.string().optional(),
  response_format: z.enum(['url', 'b64_json']).optional(),
  stream: z.enum(['true', 'false']).optional(),
})

const ImageVariationsForm = z
  .looseObject({
    model: modelName,
    image: formFile,
    n: formCount.optional(),
    size: imageSize.optional(),
    response_format: z.enum(['url', 'b64_json']).optional(),
  })
  .refine(({ model, image }) => model !== IMAGE_MODEL_DEFAULT || image.bytes.length < DALL_E_2_BYTES_LIMIT, {
    path: ['image'],
    error: expected({ zh: '小于 4 MB 的文件', en: 'a file of less than 4 MB' }),
  })

/**
 * Parses an image generation body and keeps unknown fields. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/images/create
 */
export function parseImages(json: unknown, { model }: UrlParams = {}): ParsedBody<ImagesBody> {
  const body = toImagesBody(withDefaultModel(json, IMAGE_MODEL_DEFAULT, model))
  return toParsedBody(body, body.stream === true)
}

/**
 * Parses the fields of an image edit form. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/images/createEdit
 */
export function parseImageEdits(fields: unknown, { model }: UrlParams = {}): ParsedBody<ImageEditsBody> {
  const body = toImageEditsBody(withImageList(withDefaultModel(fields, IMAGE_MODEL_DEFAULT, model)))
  return toParsedBody(body, body.stream === 'true')
}

/**
 * Parses the fields of an image variation form and keeps unknown ones. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/images/createVariation
 */
export const parseImageVariations = (
  fields: unknown,
  { model }: UrlParams = {},
): ParsedBody<ImageVariationsBody> =>
  toParsedBody(
    toImageVariationsBody(withDefaultModel(requireForm(fields), IMAGE_MODEL_DEFAULT, model)),
    false,
  )

const toParsedBody = <Body extends ImagesBody | ImageEditsBody | ImageVariationsBody>(
  body: Body,
  isStream: boolean,
): ParsedBody<Body> => ({
  body,
  model: body.model,
  isStream,
  maxOutputTokens: imageCount(body) * tokensPerImage(body),
  wantsUsage: false,
})

/** A form holds a single image under the plain name, several as a list. */
function withImageList(fields: unknown): unknown {
  const form = requireForm(fields)
  const { image } = form
  return image === undefined ? form : { ...form, image: [image].flat() }
}

function requireForm(fields: unknown): JsonObject {
  if (isObject(fields)) return fields
  throw new GatewayError('invalid_request', {
    zh: '请求体不是表单，需要 multipart/form-data',
    en: 'the body: found no form, needed multipart/form-data',
  })
}

/**
 * The most tokens per image for each quality. Source:
 * platform.openai.com/docs/guides/image-generation#cost-and-latency
 */
const TOKENS_OF_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584 }
const TOKENS_OF_BEST_QUALITY = 6_240

/** Only the gpt-image models count image tokens. */
const tokensPerImage = (body: ImagesBody | ImageEditsBody | ImageVariationsBody): number =>
  body.model.startsWith('gpt-image')
    ? (ownEntry(TOKENS_OF_QUALITY, String(body.quality)) ?? TOKENS_OF_BEST_QUALITY)
    : 0

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toImagesBody(json: unknown): ImagesBody {
  checkBody(ImagesJson, json)
  return json as ImagesBody
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toImageEditsBody(fields: unknown): ImageEditsBody {
  checkBody(ImageEditsForm, fields)
  return fields as ImageEditsBody
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toImageVariationsBody(fields: unknown): ImageVariationsBody {
  checkBody(ImageVariationsForm, fields)
  return fields as ImageVariationsBody
}

/** An images response. Source: platform.openai.com/docs/api-reference/images/object */
export const writeImagesReply = ({ created, images, extra }: ImagesReply, _: Usage): JsonObject => ({
  ...(created !== undefined && { created }),
  data: images,
  ...extra,
})

const SPEECH_MODEL_DEFAULT = 'tts-1'
const INPUT_CHARS_MAX = 100_000
/** Models whose audio is counted in tokens: about six per token of the input text. */
const COUNTS_AUDIO_TOKENS = /^(gpt|gemini)-/
const AUDIO_TOKENS_PER_TEXT_TOKEN = 6

const SpeechJson = z.looseObject({
  model: z.string().min(1).max(MODEL_NAME_CHARS_MAX),
  input: z.string().min(1).max(INPUT_CHARS_MAX),
  voice: z
    .union([z.string(), z.looseObject({})], {
      error: expected({ zh: '音色名称', en: 'the name of a voice' }),
    })
    .nullish(),
  response_format: z.string().nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
})

/**
 * Parses a text-to-speech body and keeps unknown fields. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/audio/createSpeech
 */
export function parseSpeech(json: unknown, { model }: UrlParams = {}): ParsedBody<SpeechBody> {
  const body = toSpeechBody(withDefaultModel(json, SPEECH_MODEL_DEFAULT, model))
  const audioTokens = COUNTS_AUDIO_TOKENS.test(body.model)
    ? estimateTextTokens(body.input) * AUDIO_TOKENS_PER_TEXT_TOKEN
    : 0
  return {
    body,
    model: body.model,
    isStream: body.stream_format === 'sse',
    maxOutputTokens: audioTokens,
    wantsUsage: false,
  }
}

export const writeSpeechReply = ({ contentType, audio }: SpeechReply, _: Usage): RawResponseBody =>
  new RawResponseBody(contentType, audio)

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toSpeechBody(json: unknown): SpeechBody {
  checkBody(SpeechJson, json)
  return json as SpeechBody
}

const TRANSCRIPTION_MODEL_DEFAULT = 'whisper-1'

const TranscriptionForm = z.looseObject({
  model: z.string().min(1).max(MODEL_NAME_CHARS_MAX),
  file: formFile,
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).optional(),
  language: z.string().optional(),
  stream: z.enum(['true', 'false']).optional(),
})

/**
 * Parses the fields of a transcription form and keeps unknown ones. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function parseTranscription(
  fields: unknown,
  { model }: UrlParams = {},
): ParsedBody<TranscriptionBody> {
  const body = toTranscriptionBody(withDefaultModel(fields, TRANSCRIPTION_MODEL_DEFAULT, model))
  return {
    body,
    model: body.model,
    isStream: body.stream === 'true',
    wantsUsage: false,
  }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toTranscriptionBody(fields: unknown): TranscriptionBody {
  checkBody(TranscriptionForm, fields)
  return fields as TranscriptionBody
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** Writes the transcript in the requested format, from any format of the provider. */
export function writeTranscriptionReply(
  reply: TranscriptionReply,
  usage: Usage,
  { body: { response_format = 'json' } }: ParsedBody<TranscriptionBody>,
): JsonObject | RawResponseBody {
  const contentType = TEXT_TYPES[response_format]
  if (contentType)
    return new RawResponseBody(contentType, reply.formattedText ?? writeText(reply, response_format))
  if (reply.json) return reply.json
  return response_format === 'json' ? { text: reply.text, usage: toTokenUsage(usage) } : toVerboseJson(reply)
}

function writeText(reply: TranscriptionReply, format: string): string {
  if (format === 'text') return `${reply.text}\n`
  const cues = segmentsOf(reply).map((segment, index) => toCue(segment, index, format))
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('\n')
}

/** Without segments, the whole text is one segment. */
const segmentsOf = ({
  segments = [],
  text,
  seconds = 0,
}: TranscriptionReply): readonly TranscriptSegment[] =>
  segments.length > 0 ? segments : [{ start: 0, end: seconds, text }]

function toCue({ start, end, text }: TranscriptSegment, index: number, format: string): string {
  const comma = format === 'srt' ? ',' : '.'
  const times = `${formatTimestamp(start, comma)} --> ${formatTimestamp(end, comma)}\n${text.trim()}\n`
  return format === 'srt' ? `${index + 1}\n${times}` : times
}

/** Formats seconds as `01:02:03,456`. */
function formatTimestamp(seconds: number, comma: string): string {
  const ms = Math.round(seconds * 1000)
  const part = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0')
  return `${part(ms / 3_600_000)}:${part((ms / 60_000) % 60)}:${part((ms / 1000) % 60)}${comma}${part(ms % 1000, 3)}`
}

const toVerboseJson = (reply: TranscriptionReply): JsonObject => ({
  task: 'transcribe',
  language: reply.language ?? '',
  duration: reply.seconds ?? 0,
  text: reply.text,
  segments: segmentsOf(reply).map((segment, id) => ({ id, ...segment })),
})

const toTokenUsage = (usage: Usage): JsonObject => ({
  type: 'tokens',
  input_tokens: promptTokens(usage),
  output_tokens: completionTokens(usage),
  total_tokens: promptTokens(usage) + completionTokens(usage),
})
