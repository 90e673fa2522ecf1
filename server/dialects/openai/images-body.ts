import { z } from 'zod'
import { GatewayError } from '../../core/errors.ts'
import { ownEntry } from '../../core/json.ts'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import { type ImageEditsBody, type ImagesBody, imageCount } from '../../provider-kit/contract/operations.ts'
import { isObject } from '../../provider-kit/json.ts'
import { checkBody } from '../../provider-kit/validation.ts'
import { sentFile } from './sent-file.ts'
import { withDefaultModel } from './with-default-model.ts'

const MODEL_DEFAULT = 'dall-e-2'
const MODEL_CHARS_MAX = 256
const PROMPT_CHARS_MAX = 100_000
const PICTURES_MAX = 10
const SOURCE_PICTURES_MAX = 16
const SIZE_CHARS_MAX = 32

const model = z.string().min(1).max(MODEL_CHARS_MAX)
const prompt = z.string().min(1).max(PROMPT_CHARS_MAX)
const size = z
  .string()
  .max(SIZE_CHARS_MAX)
  .refine(text => !text.includes('×'), { error: 'a size with the letter x, as in 1024x1024' })

const ImagesJson = z.looseObject({
  model,
  prompt,
  n: z.int().min(1).max(PICTURES_MAX).nullish(),
  size: size.nullish(),
  quality: z.string().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  stream: z.boolean().nullish(),
})

const ImageEditsForm = z.looseObject({
  model,
  prompt,
  image: z.array(sentFile).min(1).max(SOURCE_PICTURES_MAX),
  mask: sentFile.optional(),
  n: z
    .string()
    .regex(/^([1-9]|10)$/, { error: `a whole number from 1 to ${PICTURES_MAX}` })
    .optional(),
  size: size.optional(),
  quality: z.string().optional(),
  response_format: z.enum(['url', 'b64_json']).optional(),
  stream: z.enum(['true', 'false']).optional(),
})

/** Reads a body that asks for pictures. Unknown fields stay. */
export function parseImages(json: unknown): ParsedBody<ImagesBody> {
  const body = toImagesBody(withDefaultModel(json, MODEL_DEFAULT))
  return parsed(body, body.stream === true)
}

/** Reads a form that asks for pictures made of others. */
export function parseImageEdits(fields: unknown): ParsedBody<ImageEditsBody> {
  const body = toImageEditsBody(withImageList(withDefaultModel(fields, MODEL_DEFAULT)))
  return parsed(body, body.stream === 'true')
}

const parsed = <Body extends ImagesBody | ImageEditsBody>(
  body: Body,
  isStream: boolean,
): ParsedBody<Body> => ({
  body,
  model: body.model,
  isStream,
  maxOutputTokens: imageCount(body) * tokensOfPicture(body),
  wantsUsage: false,
})

/** One picture alone comes under a plain name, several as a list. */
function withImageList(fields: unknown): unknown {
  if (!isObject(fields)) throw new GatewayError('invalid_request', 'the body: found no form, needed one')
  const { image } = fields
  return image === undefined ? fields : { ...fields, image: [image].flat() }
}

/** The most tokens of a picture by its quality. Source: platform.openai.com/docs/guides/image-generation#cost-and-latency */
const TOKENS_OF_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584 }
const TOKENS_OF_BEST_QUALITY = 6_240

/** Only models that count the tokens of what they draw. */
const tokensOfPicture = (body: ImagesBody | ImageEditsBody): number =>
  body.model.startsWith('gpt-image')
    ? (ownEntry(TOKENS_OF_QUALITY, String(body.quality)) ?? TOKENS_OF_BEST_QUALITY)
    : 0

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toImagesBody(json: unknown): ImagesBody {
  checkBody(ImagesJson, json)
  return json as ImagesBody
}

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toImageEditsBody(fields: unknown): ImageEditsBody {
  checkBody(ImageEditsForm, fields)
  return fields as ImageEditsBody
}
