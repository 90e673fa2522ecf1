import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { geminiChat, geminiNative } from '../../provider-kit/gemini-generate/exchanges.ts'
import { readGeminiFailure } from '../../provider-kit/gemini-generate/failure.ts'
import { withoutThinkingSuffix } from '../../provider-kit/gemini-generate/thinking.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import type {
  EmbeddingsExchange,
  ModelListExchange,
  TokenCountExchange,
} from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { geminiHeaders, geminiUrl, toGenerateRequest } from './transport.ts'

export const chat = geminiChat(toGenerateRequest)
export const native = geminiNative(toGenerateRequest)

/** Gemini counts no tokens here. Source: ai.google.dev/api/embeddings */
export const embeddings: EmbeddingsExchange = {
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
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const vectors = json.embeddings.map(embedding => listOf(objectOf(embedding).values).map(Number))
    return { kind: 'reply', reply: { vectors } }
  },
  failure: readGeminiFailure,
}

/** Source: ai.google.dev/api/tokens */
export const tokenCount: TokenCountExchange = {
  request: call => ({
    url: geminiUrl(call, `models/${encodeURIComponent(withoutThinkingSuffix(call.model))}:countTokens`),
    headers: geminiHeaders(call),
    body: JSON.stringify(call.body),
  }),
  reply(json) {
    const tokens = countOf(objectOf(json).totalTokens)
    return tokens > 0
      ? { kind: 'reply', reply: tokens }
      : { kind: 'failure', failure: readHiddenFailure(json) }
  },
  failure: readGeminiFailure,
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
