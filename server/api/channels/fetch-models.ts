import { GatewayError, errorMessage } from '../../core/errors.ts'
import type { ChannelView } from '../../provider-kit/exchange.ts'
import type { ModelListAdapter, Provider } from '../../provider-kit/provider.ts'
import { readAdapterFailure } from '../../provider-kit/read-failure.ts'
import { readAnswerText } from '../../relay/upstream/send.ts'
import type { ApiContext } from '../context.ts'
import { ANSWER_TIMEOUT_MS, ioOf, sendRequest, upstreamFailed } from './ask-upstream.ts'
import { refuse } from './refuse.ts'

const MODELS_MAX = 5000

type Context = Pick<ApiContext, 'send' | 'signal' | 'requestId'>

/** Asks the vendor for its models. Refuses with the reason when the vendor cannot, or does not, say. */
export async function fetchModels(
  provider: Provider,
  channel: ChannelView,
  context: Context,
): Promise<string[]> {
  const exchange = provider.listModels
  if (!exchange) throw refuse('cannot_list_models')
  try {
    return [...new Set(await askForModels(exchange, provider, channel, context))].slice(0, MODELS_MAX)
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError)
      throw refuse('fetch_failed', { reason: errorMessage(error) })
    throw error
  }
}

async function askForModels(
  exchange: ModelListAdapter,
  provider: Provider,
  channel: ChannelView,
  context: Context,
): Promise<readonly string[]> {
  const io = ioOf(channel, context)
  const call = {
    channel,
    model: '',
    body: undefined,
    isStream: false,
    requestId: context.requestId,
    nowSeconds: io.nowSeconds,
    ...(provider.credential && { credential: await provider.credential(channel, io) }),
  }
  const sent = await sendRequest(exchange.request(call), channel, context)
  const { response } = sent
  const text = await readAnswerText(sent, ANSWER_TIMEOUT_MS)
  if (!response.ok) throw upstreamFailed(readAdapterFailure(exchange, response.status, text, response.headers).message)
  const replied = exchange.reply(JSON.parse(text), call)
  if (replied.kind === 'failure') throw upstreamFailed(replied.failure.message)
  return replied.reply
}
