import type { EmbeddingsBody } from '../../provider-kit/embeddings.ts'
import { isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import type {
  ChatExchange,
  EmbeddingsExchange,
  ModelListExchange,
  NativeExchange,
} from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { readReply } from './reply.ts'
import { openGeminiStream } from './stream.ts'
import { toGeminiBody } from './to-body.ts'
import { geminiHeaders, geminiUrl, readGeminiFailure, toGenerateRequest } from './transport.ts'

export const chat: ChatExchange = {
  wire: 'gemini',
  framing: 'sse',
  request: call => toGenerateRequest(call, toGeminiBody(call)),
  reply: readReply,
  stream: openGeminiStream,
  failure: readGeminiFailure,
}

/** For clients that speak to Gemini themselves: the model stands in the address, so their body goes out as it is. */
export const native: NativeExchange = {
  wire: 'gemini',
  framing: 'sse',
  request: call => toGenerateRequest(call, call.body),
  reply(json, call) {
    const replied = readReply(json, call)
    return replied.kind === 'failure' ? replied : { ...replied, reply: objectOf(json) }
  },
  stream: openGeminiStream,
  failure: readGeminiFailure,
}

/** Gemini counts no tokens here. Source: ai.google.dev/api/embeddings */
export const embeddings: EmbeddingsExchange = {
  request(call) {
    const model = `models/${call.model}`
    const requests = textsOf(call.body).map(text => ({
      model,
      content: { parts: [{ text }] },
      outputDimensionality: call.body.dimensions ?? undefined,
    }))
    const url = geminiUrl(call, `models/${encodeURIComponent(call.model)}:batchEmbedContents`)
    return { url, headers: geminiHeaders(call), body: JSON.stringify({ requests }) }
  },
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.embeddings))
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const vectors = json.embeddings.map(embedding => listOf(objectOf(embedding).values).map(Number))
    return { kind: 'reply', reply: { vectors } }
  },
  failure: readGeminiFailure,
}

function textsOf({ input }: EmbeddingsBody): readonly string[] {
  if (typeof input === 'string') return [input]
  return input.map(item => (typeof item === 'string' ? item : refuse('input', 'token ids', 'text')))
}

export const listModels: ModelListExchange = {
  request: call => ({
    method: 'GET',
    url: geminiUrl(call, 'models?pageSize=1000'),
    headers: geminiHeaders(call),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const names = json.models.map(model => textOf(objectOf(model).name)?.replace(/^models\//, '') ?? '')
    return { kind: 'reply', reply: names.filter(name => name !== '') }
  },
  failure: readGeminiFailure,
}
