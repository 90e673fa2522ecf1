import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { auditLedger } from '#server/ledger/audit.ts'
import type { Framing } from '#server/provider-kit/contract/operation-adapter.ts'
import { type Client, clients, readText } from './every-client.ts'
import type { Expectation } from './provider-fixtures.ts'
import {
  COMPLETION_RATIO,
  openTestGateway,
  readTestProviders,
  type TestGateway,
  type TestProvider,
} from './test-gateway.ts'

const CONTENT_TYPE: Readonly<Record<Framing, string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
}

/** Every client works with every provider: each recorded response passes the complete pipeline and is charged. */
const testProviders = await readTestProviders()

interface Recorded {
  readonly file: string
  readonly expected: Expectation
  readonly isEvents: boolean
}

/** The recorded texts, of one model where the provider's format depends on it. */
function textsOf({ fixtures }: TestProvider): readonly Recorded[] {
  const texts = [...fixtures.expectations]
    .filter(([, { content, error, tool_calls }]) => content && !error && !tool_calls)
    .map(([file, expected]) => ({ file, expected, isEvents: !file.endsWith('.json') }))
  return texts.filter(({ expected }) => expected.model === texts[0]?.expected.model)
}

/** The provider's response: not streamed where it supports that and the client requests it. */
function recordedOf(testProvider: TestProvider, isStream: boolean): Recorded {
  const texts = textsOf(testProvider)
  const wantsEvents = isStream && testProvider.provider.chat?.stream !== undefined
  const recorded = texts.find(({ isEvents }) => isEvents === wantsEvents) ?? texts[0]
  if (!recorded) throw new Error('no text was recorded')
  return recorded
}

/** Where a provider speaks a client's dialect natively, bytes pass through; `tests/clients` covers that. */
const clientsOf = ({ provider: { native, chat } }: TestProvider): readonly Client[] =>
  clients.filter(({ dialect }) => !native?.[dialect] || chat?.nativeFormat === dialect)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway(testProviders.map(({ folder }) => folder))
})
afterAll(async () => {
  const { drift, findings } = await auditLedger(gateway.relay.db)
  await gateway.relay.close()
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
})

async function ask(testProvider: TestProvider, client: Client, isStream: boolean) {
  const { file, expected, isEvents } = recordedOf(testProvider, isStream)
  const framing = testProvider.provider.chat?.framing ?? 'sse'
  const headers = { 'content-type': isEvents ? CONTENT_TYPE[framing] : 'application/json' }
  gateway.respondWith(() => new Response(new Uint8Array(testProvider.fixtures.bytes(file)), { headers }))
  const call = { model: testProvider.folder, isStream }
  const response = await gateway.relay.request(client.path(call), gateway.key, client.body(call))
  const text = await response.text()
  const [log] = await gateway.relay.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(1).execute()
  return { response, text, log, expected }
}

const chargeFor = (usage: Readonly<Record<string, number>>): number =>
  (usage.prompt_tokens ?? 0) + COMPLETION_RATIO * (usage.completion_tokens ?? 0)

for (const testProvider of testProviders)
  describe(`provider ${testProvider.folder}`, () => {
    beforeAll(() =>
      gateway.addChannel(testProvider, testProvider.folder, recordedOf(testProvider, false).expected.model),
    )

    for (const client of clientsOf(testProvider))
      test.each([
        ['without a stream', false],
        ['with a stream', true],
      ])(`responds to ${client.name} clients %s and is charged by its usage`, async (_, isStream) => {
        const { response, text, log, expected } = await ask(testProvider, client, isStream)
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
