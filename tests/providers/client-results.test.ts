import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Framing } from '#server/provider-kit/contract/operation-adapter.ts'
import { asObject, asString, parseJson } from '#server/provider-kit/json.ts'
import { type ClientResult, readResult } from './client-results.ts'
import { type Client, clients } from './every-client.ts'
import type { Expectation } from './provider-fixtures.ts'
import { openTestGateway, readTestProviders, type TestGateway, type TestProvider } from './test-gateway.ts'

/**
 * Tool calls, finish reasons and usage arrive whole at clients of every dialect, whatever the provider calls them and
 * wherever it puts them.
 */
const CONTENT_TYPE: Readonly<Record<Framing, string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
}

const testProviders = await readTestProviders()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway(testProviders.map(({ folder }) => folder))
})
afterAll(() => gateway.relay.close())

type Recorded = readonly [file: string, expected: Expectation]

function recordedOf({ fixtures }: TestProvider): readonly Recorded[] {
  const chats = [...fixtures.expectations].filter(
    ([, { content, error, operation }]) => content !== undefined && !error && !operation,
  )
  return chats.filter(([, { model }]) => model === chats[0]?.[1].model)
}

const isJson = ([file]: Recorded): boolean => file.endsWith('.json')

interface Ask {
  readonly isStream: boolean
  /** For OpenAI's streams, which hold usage only on request. */
  readonly wantsUsage: boolean
}

async function ask(
  testProvider: TestProvider,
  client: Client,
  [file]: Recorded,
  { isStream, wantsUsage }: Ask,
) {
  const framing = testProvider.provider.chat?.framing ?? 'sse'
  const headers = { 'content-type': isJson([file, {}]) ? 'application/json' : CONTENT_TYPE[framing] }
  gateway.respondWith(() => new Response(new Uint8Array(testProvider.fixtures.bytes(file)), { headers }))
  const body = client.body({ model: testProvider.folder, isStream })
  const streamOptions = wantsUsage && isStream && client.dialect === 'openai'
  const response = await gateway.relay.request(
    client.path({ model: testProvider.folder, isStream }),
    gateway.key,
    {
      ...body,
      ...(streamOptions && { stream_options: { include_usage: true } }),
    },
  )
  const text = await response.text()
  return { text, result: readResult(client.dialect, text, isStream) }
}

const toCalls = ({ tool_calls = [] }: Expectation): ClientResult['toolCalls'] =>
  tool_calls.map(call => {
    const { name, arguments: text } = asObject(call)
    return { name: asString(name) ?? '', arguments: parseJson(asString(text) ?? '') }
  })

/** Interactions have one status for what a limit or a filter cut. */
const finishFor = ({ dialect }: Client, { finish_reason = 'stop' }: Expectation): string =>
  dialect === 'interactions' && finish_reason === 'content_filter' ? 'length' : finish_reason

/** A response without output is free, so its usage is not shown. */
function expectUsage({ usage, content, tool_calls }: Expectation, received: object | undefined): void {
  if (typeof usage !== 'object' || !(content || tool_calls)) return
  expect(received).toEqual({
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    cached: usage.cached_tokens ?? 0,
  })
}

for (const testProvider of testProviders)
  describe(`provider ${testProvider.folder}`, () => {
    const recorded = recordedOf(testProvider)
    beforeAll(() => gateway.addChannel(testProvider, testProvider.folder, recorded[0]?.[1].model))

    for (const client of clients.filter(({ dialect }) => !testProvider.provider.native?.[dialect]))
      for (const one of recorded)
        test(`gives ${client.name} clients all of ${one[0]}`, async () => {
          const isStream = !isJson(one) || testProvider.provider.chat?.stream === undefined
          const { result } = await ask(testProvider, client, one, { isStream, wantsUsage: true })
          const [, expected] = one
          expect({ ...result, usage: {} }).toEqual({
            toolCalls: toCalls(expected),
            finish: finishFor(client, expected),
            usage: {},
          })
          expectUsage(expected, result?.usage)
        })

    const streams = recorded.filter(one => !isJson(one))
    for (const client of clients.filter(({ name }) => name === 'chat completions'))
      for (const one of streams)
        test(`hides the usage in ${one[0]} from clients that did not ask for it`, async () => {
          const { text } = await ask(testProvider, client, one, { isStream: true, wantsUsage: false })
          expect(text).toContain('"finish_reason":')
          expect(text).not.toMatch(/"usage":\{/)
        })
  })
