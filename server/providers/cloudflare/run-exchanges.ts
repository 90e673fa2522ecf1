import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call, UpstreamRequest } from '../../provider-kit/exchange.ts'
import { countOfPictures, type ImagesBody } from '../../provider-kit/images.ts'
import { countOf, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { adjustBody } from '../../provider-kit/openai-compatible/adjust-body.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type {
  ImagesExchange,
  RerankExchange,
  SpeechExchange,
  TranscriptionExchange,
} from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { documentText } from '../../provider-kit/rerank.ts'
import { readCloudflareFailure, workersUrl } from './transport.ts'

/** The model stands in the address with its slashes. Source: developers.cloudflare.com/workers-ai/models */
function runRequest(call: Call<unknown>, body: JsonObject | Uint8Array<ArrayBuffer>): UpstreamRequest {
  const headers = bearerHeaders(call)
  const url = workersUrl(call, `/run/${call.model}`)
  return body instanceof Uint8Array
    ? { url, headers: { ...headers, 'content-type': 'application/octet-stream' }, body }
    : { url, headers, body: JSON.stringify(body) }
}

const resultOf = (json: unknown): JsonObject => objectOf(objectOf(json).result)
const failed = (json: unknown) => ({ kind: 'failure', failure: readHiddenFailure(json) }) as const

/** Some models answer with the picture's bytes, others with JSON around them. */
export const images: ImagesExchange = {
  request: call => runRequest(call, toDrawing(call.body)),
  answerKind: (_, contentType) => (contentType.startsWith('image/') ? 'bytes' : 'json'),
  reply(answer) {
    const b64_json =
      answer instanceof Uint8Array ? Buffer.from(answer).toString('base64') : textOf(resultOf(answer).image)
    return b64_json ? { kind: 'reply', reply: { pictures: [{ b64_json }] } } : failed(answer)
  },
  failure: readCloudflareFailure,
}

function toDrawing(body: ImagesBody): JsonObject {
  const count = countOfPictures(body)
  if (count > 1) refuse('n', `${count} pictures`, '1 for Cloudflare')
  const [width, height] = (body.size ?? '').split('x').map(Number)
  const own = adjustBody(body, { drop: ['model', 'n', 'size', 'quality', 'response_format', 'stream'] })
  return { ...own, ...(width && height && { width, height }) }
}

/** The larger Whisper wants base64 inside JSON, the others the bytes themselves. */
export const transcription: TranscriptionExchange = {
  request: call =>
    runRequest(
      call,
      call.model.includes('large')
        ? { audio: Buffer.from(call.body.file.bytes).toString('base64'), language: call.body.language }
        : call.body.file.bytes,
    ),
  reply(json, { body }) {
    const { text, vtt } = resultOf(json)
    if (typeof text !== 'string') return failed(json)
    const written = body.response_format === 'vtt' ? textOf(vtt) : undefined
    return { kind: 'reply', reply: { text, written } }
  },
  failure: readCloudflareFailure,
}

export const speech: SpeechExchange = {
  request: call => runRequest(call, { prompt: call.body.input, text: call.body.input, lang: call.body.lang }),
  answerKind: (_, contentType) => (contentType.startsWith('audio/') ? 'passed' : 'json'),
  reply(json) {
    const audio = Buffer.from(textOf(resultOf(json).audio) ?? '', 'base64')
    return audio.length > 0
      ? { kind: 'reply', reply: { contentType: 'audio/mpeg', audio: new Uint8Array(audio) } }
      : failed(json)
  },
  failure: readCloudflareFailure,
}

export const rerank: RerankExchange = {
  request: call =>
    runRequest(call, {
      query: call.body.query,
      contexts: call.body.documents.map(document => ({ text: documentText(document) })),
      top_k: call.body.top_n ?? undefined,
    }),
  reply(json) {
    const { response } = resultOf(json)
    if (!Array.isArray(response)) return failed(json)
    const results = listOf(response)
      .map(objectOf)
      .map(({ id, score }) => ({ index: countOf(id), score: Number(score) || 0 }))
    return { kind: 'reply', reply: { results } }
  },
  failure: readCloudflareFailure,
}
