import { GatewayError } from '#server/core/errors.ts'
import type { UrlParams } from '#server/provider-kit/contract/client-dialect.ts'
import { acceptProtocol, withBetaHeader } from '#server/provider-kit/openai-realtime/realtime.ts'
import type { ModelOperation } from '#server/relay/types.ts'
import { Conversation } from './conversation.ts'

/** A response repeats the conversation as its input. Source: platform.openai.com/docs/models/gpt-realtime */
const REALTIME_CONTEXT_TOKENS = 32_000

/** OpenAI's realtime conversations over a websocket. Frames are passed through and read for their usage. */
export const realtime: ModelOperation = {
  name: 'realtime',
  converse: (parts, headers) => new Conversation(parts, acceptProtocol(headers)),
  modelInQuery: query => query.get('model') ?? query.get('deployment') ?? undefined,
  readHeaders: withBetaHeader,
  findDialect: client => (client.name === 'openai' ? { parse: parseUrlParams, writeReply } : undefined),
  findAdapter: provider => provider.realtime,
  findNativeAdapter: (provider, client) => (client === 'openai' ? provider.realtime : undefined),
  inputTokens: () => 0,
  contextTokens: REALTIME_CONTEXT_TOKENS,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Never called, since a conversation has no JSON reply. */
function writeReply(): never {
  throw new GatewayError('api_not_implemented', {
    zh: 'realtime 需要 WebSocket 连接',
    en: 'realtime requires a WebSocket connection',
  })
}

function parseUrlParams(_: unknown, { model }: UrlParams = {}) {
  if (!model)
    throw new GatewayError('model_required', {
      zh: 'URL 中没有 model，需要模型名称',
      en: 'model: found nothing in the URL, needed the name of a model',
    })
  return { body: {}, model, isStream: true, wantsUsage: false }
}
