import { imagenImages } from '../../provider-kit/gemini-generate/imagen.ts'
import { readVertexFailure } from './chat.ts'
import { vertexHeaders, vertexUrl } from './transport.ts'

/** Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api */
export const images = imagenImages(
  (call, body) => ({
    url: vertexUrl(call, 'v1', `publishers/google/models/${encodeURIComponent(call.model)}:predict`),
    headers: vertexHeaders(call),
    body: JSON.stringify(body),
  }),
  readVertexFailure,
)
