import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { loadProviders } from '#server/compose/modules.ts'
import type { Send } from '#server/http-client/send.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { asObject, parseJson } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { type ProviderFixtures, readFixtures } from './provider-fixtures.ts'

export interface TestProvider {
  readonly folder: string
  readonly provider: Provider
  readonly fixtures: ProviderFixtures
}

/** Every provider with chat, and its fixtures. */
export async function readTestProviders(): Promise<readonly TestProvider[]> {
  const modules = await loadProviders()
  return [...modules]
    .map(([folder, module]) => {
      const [provider] = createRegistry(new Map([[folder, module]])).all()
      if (!provider) throw new Error(`providers/${folder} has no manifest`)
      return { folder, provider, fixtures: readFixtures(folder) }
    })
    .filter(({ provider }) => provider.chat)
}

export const COMPLETION_RATIO = 2
const TOKEN_ENDPOINTS = /\/oauth\/|oauth2\.googleapis\.com/
const WALLET = 1_000_000_000

/** A gateway on a real database whose providers return recorded responses. */
export interface TestGateway {
  readonly relay: TestRelay
  readonly key: string
  /** Sets the response of the next upstream call. */
  respondWith(response: () => Response): void
  /** Adds a channel of this provider that serves one model under the given upstream name. */
  addChannel(testProvider: TestProvider, model: string, upstreamModel: string | undefined): Promise<void>
}

/** `models` are the model names to serve. An input token costs 1 unit, an output token 2. */
export async function openTestGateway(models: readonly string[]): Promise<TestGateway> {
  let respond = (): Response => new Response(null, { status: 500 })
  const send: Send = ({ url }) => {
    const tokenResponse = () => Response.json({ access_token: 'token', expires_in: 3_600 })
    const response = TOKEN_ENDPOINTS.test(url) ? tokenResponse() : respond()
    return Promise.resolve(receivedResponse(response))
  }
  const all = (figure: number) => Object.fromEntries(models.map(model => [model, figure]))
  const prices = testPrices({
    ModelRatio: all(1),
    CompletionRatio: all(COMPLETION_RATIO),
    CreateCacheRatio: all(1),
  })
  const relay = await TestRelay.open({ send, wallet: WALLET, prices })
  return {
    relay,
    key: await relay.addToken(),
    respondWith(next) {
      respond = next
    },
    async addChannel(testProvider, model, upstreamModel) {
      const { channel } = testProvider.fixtures
      await relay.addChannel({
        type: testProvider.provider.type,
        models: model,
        base_url: channel.baseUrl,
        other: channel.other,
        key_sealed: relay.context.secrets.encrypt(toChannelKey(testProvider)),
        model_mapping: upstreamModel ? JSON.stringify({ [model]: upstreamModel }) : '',
      })
    },
  }
}

/** Made once: that takes longer than most tests. */
let privateKey: KeyObject | undefined

/** Service accounts sign requests, so they need a real key. */
function toChannelKey({ fixtures: { channel } }: TestProvider): string {
  const json = asObject(parseJson(channel.key))
  if (!json.private_key) return channel.key
  privateKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return JSON.stringify({ ...json, private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
}
