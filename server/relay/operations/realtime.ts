import { GatewayError } from '../../core/errors.ts'
import type { AddressParts } from '../../provider-kit/client-dialect.ts'
import type { Operation } from './operation.ts'

/** A spoken or written conversation as OpenAI's clients hold it; frames pass untouched and are read for their usage. */
export const realtime: Operation = {
  name: 'realtime',
  isConversation: true,
  findDialect: client => (client.name === 'openai' ? { parse: parseAddress, writeReply } : undefined),
  findAdapter: provider => provider.realtime,
  findNativeAdapter: (provider, client) => (client === 'openai' ? provider.realtime : undefined),
  inputTokens: () => 0,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** A conversation has no whole answer. */
function writeReply(): never {
  throw new GatewayError('api_not_implemented', 'realtime is not answered whole')
}

function parseAddress(_: unknown, { model }: AddressParts = {}) {
  if (!model)
    throw new GatewayError(
      'model_required',
      'model: found nothing in the address, needed the name of a model',
    )
  return { body: {}, model, isStream: true, wantsUsage: false }
}
