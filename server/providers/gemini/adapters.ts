import {
  type AdapterCall,
  type AdapterResult,
  type EmbeddingsAdapter,
  type ImagesAdapter,
  type ModelListAdapter,
  stringifyBody,
  type TokenCountAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  embeddingTexts,
  type ImagesBody,
  type ImagesReply,
  imageCount,
} from '../../provider-kit/contract/operations.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import {
  geminiChat,
  geminiNative,
  type ToGeminiRequest,
} from '../../provider-kit/gemini-generate/adapters.ts'
import { readGeminiFailure } from '../../provider-kit/gemini-generate/failure.ts'
import { GEMINI_API_TOOLS } from '../../provider-kit/gemini-generate/hosted-tools.ts'
import { imagenImages, toAspectRatio } from '../../provider-kit/gemini-generate/imagen.ts'
import {
  readBlockedFailure,
  readCandidates,
  readGeminiUsage,
} from '../../provider-kit/gemini-generate/response.ts'
import { withoutThinkingSuffix } from '../../provider-kit/gemini-generate/to-body.ts'
import { interactionsNative } from '../../provider-kit/gemini-interactions/adapters.ts'
import { asArray, asCount, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { countOfImages, invalidRequest } from '../../provider-kit/validation.ts'

export const toGenerateRequest: ToGeminiRequest = (call, body) => {
  const model = encodeURIComponent(withoutThinkingSuffix(call.model))
  const method = call.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    url: geminiUrl(call, `models/${model}:${method}`),
    headers: geminiHeaders(call),
    body: stringifyBody(body, call),
  }
}

export const chat = {
  ...geminiChat(toGenerateRequest),
  hostedTools: GEMINI_API_TOOLS,
}

export const native = geminiNative(toGenerateRequest)

export const interactions = interactionsNative({
  url: call => geminiUrl(call, 'interactions'),
  headers: call => geminiHeaders(call),
})

/** Gemini reports no tokens here. Source: ai.google.dev/api/embeddings */
export const embeddings: EmbeddingsAdapter = {
  request(call) {
    const model = `models/${call.model}`
    const requests = embeddingTexts(call.body).map(text => ({
      model,
      content: { parts: [{ text }] },
      outputDimensionality: call.body.dimensions ?? undefined,
      taskType: call.body.task_type,
    }))
    const url = geminiUrl(call, `models/${encodeURIComponent(call.model)}:batchEmbedContents`)
    return { url, headers: geminiHeaders(call), body: JSON.stringify({ requests }) }
  },
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.embeddings))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const vectors = json.embeddings.map(embedding => asArray(asObject(embedding).values).map(Number))
    return { kind: 'reply', reply: { vectors } }
  },
  failure: readGeminiFailure,
}

/** Source: ai.google.dev/api/tokens */
export const tokenCount: TokenCountAdapter = {
  request: call => ({
    url: geminiUrl(call, `models/${encodeURIComponent(withoutThinkingSuffix(call.model))}:countTokens`),
    headers: geminiHeaders(call),
    body: stringifyBody(call.body, call),
  }),
  reply(json) {
    const tokens = asCount(asObject(json).totalTokens)
    return tokens > 0
      ? { kind: 'reply', reply: tokens }
      : { kind: 'failure', failure: readEmbeddedFailure(json) }
  },
  failure: readGeminiFailure,
}

export const listModels: ModelListAdapter = {
  request: call => ({
    method: 'GET',
    url: geminiUrl(call, 'models?pageSize=1000'),
    headers: geminiHeaders(call),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const names = json.models.map(model => asString(asObject(model).name)?.replace(/^models\//, '') ?? '')
    return { kind: 'reply', reply: names.filter(name => name !== '') }
  },
  failure: readGeminiFailure,
}

const VERSION_DEFAULT = 'v1beta'

/** The URL below the API version in the channel's field `other`. */
export const geminiUrl = ({ channel }: Pick<AdapterCall<unknown>, 'channel'>, path: string): string =>
  `${channel.baseUrl}/${channel.other || VERSION_DEFAULT}/${path}`

/** The key is never part of the URL, which is often logged. */
export const geminiHeaders = ({
  channel,
}: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> => ({
  'x-goog-api-key': channel.key,
  'content-type': 'application/json',
})

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
  if (count > 1)
    invalidRequest('n', countOfImages(count), {
      zh: ' 1 张（Gemini 模型的限制）',
      en: '1 for a Gemini model',
    })
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
    ? { kind: 'reply', reply: { images: generated }, usage: readGeminiUsage(json.usageMetadata, true) }
    : { kind: 'failure', failure: readEmbeddedFailure(json) }
}
