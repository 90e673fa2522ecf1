import type {
  AdapterCall,
  AdapterResult,
  ImagesAdapter,
  UpstreamRequest,
} from '../contract/operation-adapter.ts'
import { type ImagesBody, type ImagesReply, imageCount } from '../contract/operations.ts'
import { readEmbeddedFailure } from '../failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

/** Builds the request for a finished `predict` body. The model is part of the URL. */
type ToPredictRequest = (call: AdapterCall<unknown>, body: JsonObject) => UpstreamRequest

/** Image generation with Imagen on any host. Source: ai.google.dev/gemini-api/docs/imagen */
export const imagenImages = (
  toRequest: ToPredictRequest,
  failure: NonNullable<ImagesAdapter['failure']>,
): ImagesAdapter => ({
  request: call => toRequest(call, toImagenBody(call.body)),
  reply: readPredictions,
  failure,
})

const toImagenBody = (body: ImagesBody): JsonObject => ({
  instances: [{ prompt: body.prompt }],
  parameters: {
    sampleCount: imageCount(body),
    aspectRatio: toAspectRatio(body.size),
    personGeneration: 'allow_adult',
  },
})

/** Drops filtered images. When none is left, the failure blames the prompt. */
function readPredictions(json: unknown): AdapterResult<ImagesReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const predictions = asArray(json.predictions).map(asObject)
  const images = predictions.flatMap(({ bytesBase64Encoded }) =>
    typeof bytesBase64Encoded === 'string' ? [{ b64_json: bytesBase64Encoded }] : [],
  )
  if (images.length > 0) return { kind: 'reply', reply: { images } }
  const reason = asString(predictions.find(({ raiFilteredReason }) => raiFilteredReason)?.raiFilteredReason)
  const message = reason ?? 'no image was generated: the prompt was filtered'
  return { kind: 'failure', failure: { status: 400, code: 'content_filter', message, isRetryable: false } }
}

const RATIOS: readonly (readonly [name: string, ratio: number])[] = [
  ['1:1', 1],
  ['3:4', 3 / 4],
  ['4:3', 4 / 3],
  ['9:16', 9 / 16],
  ['16:9', 16 / 9],
]
const SIZE = /^(\d+)x(\d+)$/

/** The closest aspect ratio that Google and MiniMax support. Undefined for a value that is not `WIDTHxHEIGHT`. */
export function toAspectRatio(size: string | null | undefined): string | undefined {
  const [, width, height] = SIZE.exec(size ?? '') ?? []
  if (!Number(width) || !Number(height)) return undefined
  const requested = Math.log(Number(width) / Number(height))
  const distance = (ratio: number): number => Math.abs(Math.log(ratio) - requested)
  return RATIOS.toSorted((a, b) => distance(a[1]) - distance(b[1]))[0]?.[0]
}
