import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { getToken, type Token } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { getChannel } from '#features/channels/contract/channel-endpoints.ts'
import type { Channel } from '#features/channels/contract/channels.ts'
import { getLogStat } from '#features/logs/contract/logs.ts'
import { expectedCharge, type PriceInThousandths, priceOptions } from '../harness/expected-charge.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

/** Chosen so that almost every charge needs rounding. */
const PRICE: PriceInThousandths = { model: 2371, completion: 3137, cached: 253, cacheWrite: 1259, group: 733 }
const TOKEN_LIMIT = 5_000_000
/** $0.001 per call: 500 units times the group ratio 0.733 is 366.5. */
const CALL = { model: 'by-the-call', dollars: 0.001, charge: 367 }
const FREE = 'given-away'
const providers = [
  { provider: 'openai', model: 'o' },
  { provider: 'custom', model: 'c' },
  { provider: 'anthropic', model: 'a' },
  { provider: 'gemini', model: 'g' },
] as const
const scripts = [
  'tokens-1',
  'tokens-777',
  'reasoning-40',
  'cached-30',
  'cache-write-30',
  'cached-20+cache-write-9',
  'tools',
]
const tools = [
  {
    type: 'function' as const,
    function: { name: 'get', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

let site: Site
let token: Token
let openai: OpenAI
const channels = new Map<string, Channel>()

beforeAll(async () => {
  site = await startSite()
  const models = providers.map(({ model }) => priceOptions(`priced-${model}`, PRICE))
  const figures = (name: 'ModelRatio' | 'CompletionRatio' | 'CacheRatio' | 'CreateCacheRatio') =>
    Object.assign({}, ...models.map(options => options[name]))
  await setOptions(site.root, {
    ModelRatio: { ...figures('ModelRatio'), [FREE]: 0 },
    CompletionRatio: figures('CompletionRatio'),
    CacheRatio: figures('CacheRatio'),
    CreateCacheRatio: figures('CreateCacheRatio'),
    ModelPrice: { [CALL.model]: CALL.dollars },
    GroupRatio: { default: PRICE.group / 1000 },
  })
  for (const { provider, model } of providers) {
    const extra = provider === 'openai' ? [CALL.model, FREE] : []
    const made = await addLabChannel(site.root, site.lab, { provider, models: [`priced-${model}`, ...extra] })
    channels.set(`priced-${model}`, made)
  }
  token = await addToken(site.root, { unlimited_quota: false, remain_quota: TOKEN_LIMIT })
  openai = new OpenAI({ apiKey: `sk-${token.key}`, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(() => site?.stop())

interface RequestOptions {
  readonly usage: OpenAI.CompletionUsage | undefined
  readonly requestId: string
}

async function ask(model: string, script: string, isStream: boolean): Promise<RequestOptions> {
  const content = `What does this question cost, which is long enough for a cache to keep a part of it and to have another part read from it? [lab: ${script}]`
  const body = { model, tools, messages: [{ role: 'user' as const, content }] }
  if (!isStream) {
    const { data, response } = await openai.chat.completions.create(body).withResponse()
    return { usage: data.usage, requestId: response.headers.get('x-oneapi-request-id') ?? '' }
  }
  const { data, response } = await openai.chat.completions
    .create({ ...body, stream: true, stream_options: { include_usage: true } })
    .withResponse()
  const chunks = await Array.fromAsync(data)
  const usage = chunks.at(-1)?.usage ?? undefined
  return { usage, requestId: response.headers.get('x-oneapi-request-id') ?? '' }
}

/** Balances of wallet, token and channel, and the totals of the log. */
async function balances(model: string) {
  const channel = channels.get(model)
  if (!channel) throw new Error(`expected a channel of ${model}, found none`)
  const [user, spent, upstream, stat] = await Promise.all([
    site.root.call(getSelf),
    site.root.call(getToken, { params: { id: token.id } }),
    site.root.call(getChannel, { params: { id: channel.id } }),
    site.root.call(getLogStat, { query: { type: 2 } }),
  ])
  return {
    wallet: -user.quota,
    user: user.used_quota,
    token: spent.used_quota,
    limit: -spent.remain_quota,
    channel: upstream.used_quota,
    log: stat.quota,
  }
}

/** Changes of the balances during `work`. */
async function movesDuring(model: string, work: () => Promise<unknown>): Promise<Set<number>> {
  const before = await balances(model)
  await work()
  const after = await balances(model)
  return new Set(
    Object.keys(before).map(key => Number(Reflect.get(after, key)) - Number(Reflect.get(before, key))),
  )
}

const tokensOf = ({ usage }: RequestOptions) => {
  if (!usage) throw new Error('expected usage in the answer, found none')
  const details = usage.prompt_tokens_details ?? {}
  const written = 'cache_creation_tokens' in details ? Number(details.cache_creation_tokens) : 0
  return {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: written,
  }
}

describe.each(providers)('through $provider', ({ provider, model }) => {
  const priced = `priced-${model}`
  const cases = scripts.flatMap(script => [false, true].map(isStream => [script, isStream] as const))

  test.each(cases)(
    '%s costs the formula to the unit, and everybody agrees (streamed: %p)',
    async (script, isStream) => {
      let requested: RequestOptions | undefined
      const moves = await movesDuring(priced, async () => {
        requested = await ask(priced, script, isStream)
      })
      if (!requested) throw new Error('expected an answer, found none')
      const charge = expectedCharge(PRICE, tokensOf(requested))
      const row = await waitForLog(site.root, requested.requestId)
      expect(row.quota).toBe(charge)
      expect(moves).toEqual(new Set([charge]))
      expect(row.detail).toMatchObject({ provenance: 'upstream', ending: 'complete' })
      expect(row.detail.bill?.hold).toBeGreaterThanOrEqual(0)
    },
  )

  test('counts cached tokens when the provider reports them', async () => {
    const requested = await ask(priced, 'cached-20+cache-write-9', true)
    const { cached, cacheWrite } = tokensOf(requested)
    expect(cached).toBe(20)
    expect(cacheWrite).toBe(provider === 'anthropic' ? 9 : 0)
  })
})

test.each([false, true])(
  'charges a fixed price, rounded once, whatever the usage (streamed: %p)',
  async isStream => {
    for (const script of ['tokens-1', 'tokens-500']) {
      const { requestId } = await ask(CALL.model, script, isStream)
      expect(await waitForLog(site.root, requestId)).toMatchObject({ quota: CALL.charge })
    }
  },
)

test('charges nothing for a model with ratio 0 and logs the call', async () => {
  const { requestId } = await ask(FREE, 'tokens-500', false)
  expect(await waitForLog(site.root, requestId)).toMatchObject({ type: 2, quota: 0, completion_tokens: 500 })
})

test.each([false, true])(
  'charges nothing without output, whatever the price (streamed: %p)',
  async isStream => {
    for (const model of ['priced-o', 'priced-a', 'priced-g', CALL.model]) {
      const { requestId } = await ask(model, 'filter', isStream)
      expect(await waitForLog(site.root, requestId)).toMatchObject({ quota: 0 })
    }
  },
)
