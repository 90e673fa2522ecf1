import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { resolve } from 'node:path'
import { loadFolders } from '../../server/kernel/load-folders.ts'
import { verify } from '../../server/ledger/verify.ts'
import type { Framing } from '../../server/provider-kit/exchange.ts'
import { objectOf, parseJson } from '../../server/provider-kit/json.ts'
import type { Provider } from '../../server/provider-kit/provider.ts'
import { openRegistry } from '../../server/providers/registry.ts'
import type { Send } from '../../server/relay/send.ts'
import { TestRelay } from '../../server/testing/test-relay.ts'
import { type Client, clients, readText } from './every-client.ts'
import { type Expectation, readFixtures, type VendorFixtures } from './vendor-fixtures.ts'

/** Every client reaches every vendor: each recorded answer goes the whole way of a request, and is paid for. */
const COMPLETION_RATIO = 2
const CONTENT_TYPE: Readonly<Record<Framing, string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
}
const TRADES_THE_KEY = /\/oauth\/|oauth2\.googleapis\.com/

interface Vendor {
  readonly folder: string
  readonly provider: Provider
  readonly fixtures: VendorFixtures
}

const vendors: readonly Vendor[] = [...(await loadFolders(resolve('server/providers')))]
  .map(([folder, module]) => {
    const [provider] = openRegistry(new Map([[folder, module]])).all()
    if (!provider) throw new Error(`providers/${folder} has no manifest`)
    return { folder, provider, fixtures: readFixtures(folder) }
  })
  .filter(({ provider }) => provider.chat)

interface Recorded {
  readonly file: string
  readonly expected: Expectation
  readonly isEvents: boolean
}

/** The recorded texts, of one model where a vendor's format depends on it. */
function textsOf({ fixtures }: Vendor): readonly Recorded[] {
  const texts = [...fixtures.expectations]
    .filter(([, { content, error, tool_calls }]) => content && !error && !tool_calls)
    .map(([file, expected]) => ({ file, expected, isEvents: !file.endsWith('.json') }))
  return texts.filter(({ expected }) => expected.model === texts[0]?.expected.model)
}

/** What the vendor answers: whole where it can and is asked so. */
function recordedOf(vendor: Vendor, isStream: boolean): Recorded {
  const texts = textsOf(vendor)
  const wantsEvents = isStream && vendor.provider.chat?.stream !== undefined
  const recorded = texts.find(({ isEvents }) => isEvents === wantsEvents) ?? texts[0]
  if (!recorded) throw new Error('no text was recorded')
  return recorded
}

/** Where a vendor speaks a client's dialect beside that of its recorded chat, bytes pass: `tests/clients` proves it. */
const clientsOf = ({ provider: { native, chat } }: Vendor): readonly Client[] =>
  clients.filter(({ dialect }) => !native?.[dialect] || chat?.wire === dialect)

let relay: TestRelay
let key: string
let answer: () => Response

const send: Send = ({ url }) => {
  const traded = () => Response.json({ access_token: 'token', expires_in: 3_600 })
  const response = TRADES_THE_KEY.test(url) ? traded() : answer()
  return Promise.resolve({ kind: 'answer', response, cancel: () => undefined })
}

const figureForAll = (figure: number) => Object.fromEntries(vendors.map(({ folder }) => [folder, figure]))

beforeAll(async () => {
  const modelRatio = figureForAll(1)
  const prices = { modelRatio, completionRatio: figureForAll(COMPLETION_RATIO), modelPrice: {} }
  const noFigures = { cacheRatio: {}, createCacheRatio: figureForAll(1), groupRatio: { default: 1 } }
  relay = await TestRelay.open({
    send,
    wallet: 1_000_000_000,
    settings: { prices: { ...prices, ...noFigures } },
  })
  key = await relay.addToken()
})
afterAll(async () => {
  const { drift, findings } = await verify(relay.db)
  await relay.close()
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
})

/** A service account signs, so that it needs a key which really is one. */
function keyOf({ fixtures: { channel } }: Vendor): string {
  const json = parseJson(channel.key)
  if (!objectOf(json).private_key) return channel.key
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return JSON.stringify({ ...objectOf(json), private_key })
}

async function ask(vendor: Vendor, client: Client, isStream: boolean) {
  const { file, expected, isEvents } = recordedOf(vendor, isStream)
  const framing = vendor.provider.chat?.framing ?? 'sse'
  const headers = { 'content-type': isEvents ? CONTENT_TYPE[framing] : 'application/json' }
  answer = () => new Response(new Uint8Array(vendor.fixtures.bytes(file)), { headers })
  const asking = { model: vendor.folder, isStream }
  const response = await relay.ask(client.path(asking), key, client.body(asking))
  const text = await response.text()
  const [log] = await relay.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(1).execute()
  return { response, text, log, expected }
}

const chargeFor = (usage: Readonly<Record<string, number>>): number =>
  (usage.prompt_tokens ?? 0) + COMPLETION_RATIO * (usage.completion_tokens ?? 0)

for (const vendor of vendors)
  describe(`provider ${vendor.folder}`, () => {
    beforeAll(async () => {
      const { channel } = vendor.fixtures
      const { model } = recordedOf(vendor, false).expected
      await relay.addChannel({
        type: vendor.provider.type,
        models: vendor.folder,
        base_url: channel.baseUrl,
        other: channel.other,
        key_sealed: relay.gateway.secrets.seal(keyOf(vendor)),
        model_mapping: model ? JSON.stringify({ [vendor.folder]: model }) : '',
      })
    })

    for (const client of clientsOf(vendor))
      test.each([
        ['whole', false],
        ['streamed', true],
      ])(`answers clients of ${client.name} %s, and is paid by its usage`, async (_, isStream) => {
        const { response, text, log, expected } = await ask(vendor, client, isStream)
        expect({ status: response.status, text: response.status === 200 ? '' : text }).toEqual({
          status: 200,
          text: '',
        })
        expect(readText(client, text, isStream)).toBe(expected.content ?? '')
        const { usage } = expected
        if (typeof usage === 'object')
          expect(log).toMatchObject({ quota: chargeFor(usage), is_stream: Number(isStream) })
        else expect(log?.quota).toBeGreaterThan(0)
      })
  })
