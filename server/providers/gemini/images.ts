import type {
  AdapterCall,
  AdapterResult,
  ImagesAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { type ImagesBody, type ImagesReply, imageCount } from '../../provider-kit/contract/operations.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { readGeminiFailure } from '../../provider-kit/gemini-generate/adapters.ts'
import { imagenImages, toAspectRatio } from '../../provider-kit/gemini-generate/imagen.ts'
import {
  readBlockedFailure,
  readCandidates,
  readGeminiUsage,
} from '../../provider-kit/gemini-generate/response.ts'
import { asArray, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { geminiHeaders, geminiUrl, toGenerateRequest } from './adapters.ts'

const imagen = imagenImages(
  (call, body) => ({
    url: geminiUrl(call, `models/${encodeURIComponent(call.model)}:predict`),
    headers: geminiHeaders(call),
    body: JSON.stringify(body),
  }),
  readGeminiFailure,
)

const isImagen = ({ model }: AdapterCall<ImagesBody>): boolean => model.startsWith('imagen')

/** Imagen has an endpoint of its own; multimodal models generate one image per response. */
export const images: ImagesAdapter = {
  request: call =>
    isImagen(call) ? imagen.request(call) : toGenerateRequest(call, toDrawingBody(call.body)),
  reply: (json, call) => (isImagen(call) ? imagen.reply(json, call) : readDrawing(json)),
  failure: readGeminiFailure,
}

function toDrawingBody(body: ImagesBody) {
  const count = imageCount(body)
  if (count > 1) invalidRequest('n', `${count} images`, '1 for a Gemini model')
  const aspectRatio = toAspectRatio(body.size)
  return {
    contents: [{ role: 'user', parts: [{ text: body.prompt }] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(aspectRatio && { imageConfig: { aspectRatio } }),
    },
  }
}

function readDrawing(json: unknown): AdapterResult<ImagesReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const blocked = readBlockedFailure(json, readCandidates(json))
  if (blocked) return { kind: 'failure', failure: blocked }
  const parts = asArray(json.candidates).flatMap(candidate =>
    asArray(asObject(asObject(candidate).content).parts),
  )
  const generated = parts.flatMap(part => {
    const b64_json = asString(asObject(asObject(part).inlineData).data)
    return b64_json ? [{ b64_json }] : []
  })
  return generated.length > 0
    ? { kind: 'reply', reply: { images: generated }, usage: readGeminiUsage(json.usageMetadata) }
    : { kind: 'failure', failure: readEmbeddedFailure(json) }
}
