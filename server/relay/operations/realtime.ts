import { GatewayError } from '../../core/errors.ts'
import type { UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { Operation } from '../types.ts'

/** OpenAI's realtime conversations over a websocket. Frames are passed through and read for their usage. */
export const realtime: Operation = {
  name: 'realtime',
  isConversation: true,
  findDialect: client => (client.name === 'openai' ? { parse: parseUrlParams, writeReply } : undefined),
  findAdapter: provider => provider.realtime,
  findNativeAdapter: (provider, client) => (client === 'openai' ? provider.realtime : undefined),
  inputTokens: () => 0,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Never called, since a conversation has no JSON reply. */
function writeReply(): never {
  throw new GatewayError('api_not_implemented', 'realtime is not answered whole')
}

function parseUrlParams(_: unknown, { model }: UrlParams = {}) {
  if (!model)
    throw new GatewayError(
      'model_required',
      'model: found nothing in the address, needed the name of a model',
    )
  return { body: {}, model, isStream: true, wantsUsage: false }
}
