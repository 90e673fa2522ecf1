import type { TokenDraft } from '#contract/entities/token.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addLabChannel, addToken, PROVIDERS } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { REPLIES, reactToFrame } from './fixed-replies.ts'
import { type FixedUpstream, startFixedUpstream } from './fixed-upstream.ts'

/** The formats that clients speak, which are also the formats of the lab's providers, and Cohere's. */
export const DIALECTS = ['openai', 'responses', 'anthropic', 'gemini', 'cohere'] as const
export type DialectName = (typeof DIALECTS)[number]

const MODELS = {
  openai: [
    'gpt-4o-mini',
    'gpt-4o',
    'o3-mini',
    'gpt-3.5-turbo-instruct',
    'text-embedding-3-small',
    'dall-e-2',
    'dall-e-3',
    'gpt-image-1',
    'tts-1',
    'whisper-1',
    'omni-moderation-latest',
  ],
  anthropic: ['claude-sonnet-4-5-20250929'],
  gemini: ['gemini-2.5-flash', 'text-embedding-004'],
  custom: ['chat-only'],
} as const

const CHAT_PRICES = { kind: 'chat', prices: { input: 2, output: 8, cached_input: 0.5 } } as const
/** Models whose only channel always fails, one for each format: a failure counts against its channel. */
export const failingModel = (dialect: DialectName, isStream: boolean): string =>
  `failing-${dialect}${isStream ? '-stream' : ''}`
const FAILING = DIALECTS.flatMap(dialect => [failingModel(dialect, false), failingModel(dialect, true)])
const OWN_MODELS = ['chat-only', 'first-fails', 'regional', 'bought', ...FAILING]

const TOKENS: Readonly<Record<string, Partial<TokenDraft>>> = {
  main: {},
  limited: { unlimited_quota: false, remain_quota: 1_000_000 },
  exhausted: { unlimited_quota: false, remain_quota: 1 },
  'one model': { model_limits_enabled: true, model_limits: 'gpt-4o' },
  'foreign address': { allow_ips: '203.0.113.7' },
  vip: { group: 'vip' },
  'no tiers': { service_tier: 'forbid', server_tools: 'forbid' },
  'fewer tools': { service_tier: 'strip', server_tools: 'strip' },
  realtime: {},
  socket: {},
}

/** A gateway with a channel for everything that is recorded, its upstreams, and tokens by name. */
export interface GoldenSite extends Site {
  readonly fixed: FixedUpstream
  readonly keys: ReadonlyMap<string, string>
}

export async function startGoldenSite(): Promise<GoldenSite> {
  const site = await startSite({ environment: { EGRESS_ALLOWED: '127.0.0.1' } })
  const fixed = startFixedUpstream(REPLIES, reactToFrame)
  await setOptions(site.root, {
    UnknownAccountIds: 'everyone',
    RetryTimes: 1,
    ServerAddress: site.gateway.url,
    GroupRatio: { default: 1, vip: 0.7 },
    ModelPriceLists: Object.fromEntries(OWN_MODELS.map(model => [model, CHAT_PRICES])),
  })
  await addLabChannels(site)
  await addFixedChannels(site.root, fixed.url)
  const user = await addUser(site.gateway, { username: 'golden', wallet: 1_000_000_000 })
  const poor = await addUser(site.gateway, { username: 'poor', wallet: 1 })
  const keys = new Map<string, string>()
  for (const [name, draft] of Object.entries(TOKENS))
    keys.set(name, (await addToken(user, { name, ...draft })).key)
  keys.set('poor', (await addToken(poor, { name: 'poor' })).key)
  return {
    ...site,
    fixed,
    keys,
    async stop() {
      await site.stop()
      await fixed.stop()
    },
  }
}

async function addLabChannels({ root, lab }: Site): Promise<void> {
  for (const provider of ['openai', 'anthropic', 'gemini', 'custom'] as const) {
    const group = provider === 'openai' ? 'default,vip' : 'default'
    await addLabChannel(root, lab, {
      provider,
      models: MODELS[provider],
      namespace: provider,
      draft: { group },
    })
  }
  await addLabChannel(root, lab, { provider: 'drawing', models: ['mj_imagine'], namespace: 'drawing' })
  await addLabChannel(root, lab, { provider: 'music', models: ['suno_music'], namespace: 'music' })
  await addFailingChannels(root, lab)
  const models = ['first-fails']
  await addLabChannel(root, lab, {
    ...{ provider: 'openai', models, name: 'overloaded', namespace: 'overloaded' },
    ...{ priority: 10, scenario: 'overloaded' },
  })
  await addLabChannel(root, lab, { provider: 'openai', models, name: 'healthy', namespace: 'healthy' })
}

async function addFailingChannels(root: AdminClient, lab: Site['lab']): Promise<void> {
  for (const dialect of DIALECTS)
    for (const isStream of [false, true]) {
      const model = failingModel(dialect, isStream)
      const provider = dialect === 'anthropic' || dialect === 'gemini' ? dialect : 'openai'
      const scenario = isStream ? 'error-event-2' : 'status-500'
      await addLabChannel(root, lab, { provider, models: [model], name: model, namespace: model, scenario })
    }
}

/** Channel types of providers that the lab does not speak for. */
const JINA = 38
const COHERE = 34

async function addFixedChannels(root: AdminClient, url: string): Promise<void> {
  const channels = [
    { name: 'tier', type: PROVIDERS.openai, models: 'gpt-5.5' },
    { name: 'searching', type: PROVIDERS.openai, models: 'gpt-5.4' },
    { name: 'realtime', type: PROVIDERS.openai, models: 'gpt-realtime' },
    { name: 'caching', type: PROVIDERS.anthropic, models: 'claude-opus-4-8' },
    { name: 'grounding', type: PROVIDERS.gemini, models: 'gemini-3-flash-preview' },
    { name: 'rerank', type: JINA, models: 'jina-reranker-v2-base-multilingual' },
    { name: 'cohere', type: COHERE, models: 'rerank-v3.5' },
    { name: 'regional', type: PROVIDERS.openai, models: 'regional,gpt-5.6-sol', setting: { region: 'us' } },
    { name: 'bought', type: PROVIDERS.openai, models: 'bought', setting: BOUGHT },
  ]
  for (const { name, setting, ...fields } of channels)
    await root.call(createChannels, {
      body: {
        ...{ name, key: 'key', base_url: `${url}/${name}`, group: 'default' },
        ...fields,
        ...(setting && { setting: JSON.stringify(setting) }),
      },
    })
}

const BOUGHT = { purchase_prices: { bought: { input: 1, output: 4 } }, usage_multiplier: 1.5 }
