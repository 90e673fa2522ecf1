import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { isEmbeddingModel } from '#server/core/model-names.ts'
import { readResponseText } from '#server/http-client/read-response.ts'
import { connectionOwner, type Send } from '#server/http-client/send.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import type { AdapterCall, OperationAdapter } from '#server/provider-kit/contract/operation-adapter.ts'
import { readAdapterFailure } from '#server/provider-kit/failures.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import { createCredentials } from '#server/relay/upstream/credentials.ts'

const AT_ONCE = 8
const TIMEOUT_MS = 30_000

/** Asks each channel once for an answer of at most one token. Returns why some did not respond, by channel id. */
export async function probeChannels(
  channels: readonly RoutedChannel[],
  send: Send,
): Promise<ReadonlyMap<number, string>> {
  const credentials = createCredentials(send)
  const failures = new Map<number, string>()
  const waiting = [...channels]
  const probeNext = async (): Promise<void> => {
    for (let channel = waiting.shift(); channel; channel = waiting.shift()) {
      const model = channel.models.find(name => isTextModel(channel.modelMapping[name] ?? name))
      const failure =
        model === undefined
          ? 'it was not asked: it serves no model that responds with one token'
          : await probe(channel, model, { send, credentials }).then(toReason, toReason)
      if (failure !== undefined) failures.set(channel.id, failure)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, probeNext))
  return failures
}

interface ChannelCaller {
  readonly send: Send
  readonly credentials: ReturnType<typeof createCredentials>
}

const toReason = (failure: unknown): string | undefined =>
  failure === undefined ? undefined : `it did not respond: ${errorMessage(failure)}`

async function probe(
  channel: RoutedChannel,
  name: string,
  { send, credentials }: ChannelCaller,
): Promise<string | undefined> {
  const { provider, view, modelMapping } = channel
  const credential = await credentials.get(channel)
  if (credential instanceof GatewayError) return credential.message
  const model = modelMapping[name] ?? name
  const call = {
    channel: view,
    model,
    isStream: false,
    requestId: newRequestId(),
    nowSeconds: nowSeconds(),
    ...(credential && { credential }),
  }
  if (kindOf(model) === 'embeddings')
    return provider.embeddings && ask(provider.embeddings, { ...call, body: { model, input: 'hi' } }, send)
  const body = { model, messages: [{ role: 'user' as const, content: 'hi' }], max_tokens: 1 }
  return provider.chat && ask(provider.chat, { ...call, body }, send)
}

/** Pictures, sound and tasks cost more than a token. */
const KINDS_OF_A_TOKEN: readonly ModelKind[] = ['chat', 'embeddings']
const isTextModel = (model: string): boolean => KINDS_OF_A_TOKEN.includes(kindOf(model))

const kindOf = (model: string): ModelKind =>
  findModel(model)?.kind ?? (isEmbeddingModel(model) ? 'embeddings' : 'chat')

/** Some models refuse an answer of one token after they have begun it. */
const BEGAN = /max_tokens or model output limit was reached/

async function ask<Body, Reply, Chunk>(
  adapter: OperationAdapter<Body, Reply, Chunk>,
  call: AdapterCall<Body>,
  send: Send,
): Promise<string | undefined> {
  const sent = await send(adapter.request(call), {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headersTimeoutMs: TIMEOUT_MS,
    proxy: call.channel.setting.proxy || undefined,
    owner: connectionOwner(call.channel),
  })
  if (sent.kind === 'failure') return sent.failure.message
  const { status, headers } = sent.response
  const text = await readResponseText(sent, TIMEOUT_MS)
  if (status >= 400) {
    const { message } = readAdapterFailure(adapter, status, text, headers)
    return BEGAN.test(message) ? undefined : `status ${status}: ${message}`
  }
  const result = adapter.reply(parseJson(text), call)
  return result.kind === 'failure' ? result.failure.message : undefined
}
