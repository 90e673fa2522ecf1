import type { Call, Replied } from '../../provider-kit/exchange.ts'
import { toAspectRatio } from '../../provider-kit/gemini-generate/aspect-ratio.ts'
import { readGeminiFailure } from '../../provider-kit/gemini-generate/failure.ts'
import { imagenImages } from '../../provider-kit/gemini-generate/imagen.ts'
import { readCandidates, refusalOf } from '../../provider-kit/gemini-generate/parts.ts'
import { readGeminiUsage } from '../../provider-kit/gemini-generate/usage.ts'
import { countOfPictures, type ImagesBody, type ImagesReply } from '../../provider-kit/images.ts'
import { isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import type { ImagesExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { geminiHeaders, geminiUrl, toGenerateRequest } from './transport.ts'

const imagen = imagenImages(
  (call, body) => ({
    url: geminiUrl(call, `models/${encodeURIComponent(call.model)}:predict`),
    headers: geminiHeaders(call),
    body: JSON.stringify(body),
  }),
  readGeminiFailure,
)

const isImagen = ({ model }: Call<ImagesBody>): boolean => model.startsWith('imagen')

/** Imagen draws by an address of its own; the models that also talk draw one picture an answer. */
export const images: ImagesExchange = {
  request: call =>
    isImagen(call) ? imagen.request(call) : toGenerateRequest(call, toDrawingBody(call.body)),
  reply: (json, call) => (isImagen(call) ? imagen.reply(json, call) : readDrawing(json)),
  failure: readGeminiFailure,
}

function toDrawingBody(body: ImagesBody) {
  const count = countOfPictures(body)
  if (count > 1) refuse('n', `${count} pictures`, '1 for a Gemini model')
  const aspectRatio = toAspectRatio(body.size)
  return {
    contents: [{ role: 'user', parts: [{ text: body.prompt }] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(aspectRatio && { imageConfig: { aspectRatio } }),
    },
  }
}

function readDrawing(json: unknown): Replied<ImagesReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readHiddenFailure(json) }
  const refusal = refusalOf(json, readCandidates(json))
  if (refusal) return { kind: 'failure', failure: refusal }
  const parts = listOf(json.candidates).flatMap(candidate =>
    listOf(objectOf(objectOf(candidate).content).parts),
  )
  const pictures = parts.flatMap(part => {
    const b64_json = textOf(objectOf(objectOf(part).inlineData).data)
    return b64_json ? [{ b64_json }] : []
  })
  return pictures.length > 0
    ? { kind: 'reply', reply: { pictures }, usage: readGeminiUsage(json.usageMetadata) }
    : { kind: 'failure', failure: readHiddenFailure(json) }
}
