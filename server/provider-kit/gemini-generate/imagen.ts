import type { JsonObject } from '../chat.ts'
import type { Call, Replied, UpstreamRequest } from '../exchange.ts'
import { countOfPictures, type ImagesBody, type ImagesReply } from '../images.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'
import type { ImagesExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { toAspectRatio } from './aspect-ratio.ts'

/** Addresses a finished body of `predict`. The model stands in the address. */
type ToPredictRequest = (call: Call<unknown>, body: JsonObject) => UpstreamRequest

/** Pictures by Imagen, wherever it is hosted. Source: ai.google.dev/gemini-api/docs/imagen */
export const imagenImages = (
  toRequest: ToPredictRequest,
  failure: NonNullable<ImagesExchange['failure']>,
): ImagesExchange => ({
  request: call => toRequest(call, toImagenBody(call.body)),
  reply: readPredictions,
  failure,
})

const toImagenBody = (body: ImagesBody): JsonObject => ({
  instances: [{ prompt: body.prompt }],
  parameters: {
    sampleCount: countOfPictures(body),
    aspectRatio: toAspectRatio(body.size),
    personGeneration: 'allow_adult',
  },
})

/** What was filtered is left out; where nothing else is there, the prompt is at fault. */
function readPredictions(json: unknown): Replied<ImagesReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readHiddenFailure(json) }
  const predictions = listOf(json.predictions).map(objectOf)
  const pictures = predictions.flatMap(({ bytesBase64Encoded }) =>
    typeof bytesBase64Encoded === 'string' ? [{ b64_json: bytesBase64Encoded }] : [],
  )
  if (pictures.length > 0) return { kind: 'reply', reply: { pictures } }
  const reason = textOf(predictions.find(({ raiFilteredReason }) => raiFilteredReason)?.raiFilteredReason)
  const message = reason ?? 'no picture was made: the prompt was filtered'
  return { kind: 'failure', failure: { status: 400, code: 'content_filter', message, isRetryable: false } }
}
