import { afterAll, beforeAll, expect, test } from 'bun:test'
import { asObject, parseJson } from '#server/provider-kit/json.ts'
import { type Client, clients } from './every-client.ts'
import type { RecordedError } from './provider-fixtures.ts'
import { openTestGateway, readTestProviders, type TestGateway, type TestProvider } from './test-gateway.ts'

/** Every recorded error reaches clients of every dialect and is never charged. */
const testProviders = await readTestProviders()
/** One channel per error, since a channel that fails often cools down. */
const modelOf = ({ folder }: TestProvider, index: number): string => `${folder}-${index}`

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway(
    testProviders.flatMap(testProvider =>
      testProvider.fixtures.errors.map((_, index) => modelOf(testProvider, index)),
    ),
  )
})
afterAll(() => gateway.relay.close())

interface ErrorCase {
  readonly client: Client
  readonly model: string
  readonly isStream: boolean
}

/** The error response in a comparable form. */
async function requestError(
  { client, model, isStream }: ErrorCase,
  { status, map_to_status: mapped = status, headers, body }: RecordedError,
) {
  gateway.respondWith(
    () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
  )
  const call = { model, isStream }
  const response = await gateway.relay.request(client.path(call), gateway.key, client.body(call))
  const { error, isStreamed } = readError(response, await response.text())
  const isSentence = typeof error.message === 'string' && !/^\s*$|<html|https?:/.test(error.message)
  return { client: client.name, isStream, isSentence, status: isStreamed ? mapped : response.status }
}

/** The Responses API tells a stream in an event that the context overflows; Cohere's errors have no envelope. */
function readError(response: Response, text: string) {
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const json = asObject(parseJson(isStream ? (text.trim().split('data: ').at(-1) ?? '') : text))
  const error = asObject(isStream ? asObject(json.response).error : (json.error ?? json))
  return { error, isStreamed: isStream && error.code === 'context_length_exceeded' }
}

for (const testProvider of testProviders)
  test(`reports the errors of ${testProvider.folder} in every client dialect without a charge`, async () => {
    const { expectations, errors } = testProvider.fixtures
    const [{ model: upstreamModel } = {}] = expectations.values()
    for (const [index, recorded] of errors.entries()) {
      const model = modelOf(testProvider, index)
      await gateway.addChannel(testProvider, model, upstreamModel)
      const status = recorded.shown_status ?? recorded.map_to_status ?? recorded.status
      for (const client of clients)
        for (const isStream of [false, true])
          expect({ index, ...(await requestError({ client, model, isStream }, recorded)) }).toEqual({
            index,
            client: client.name,
            isStream,
            status,
            isSentence: true,
          })
    }
    const { used_quota } = await gateway.relay.db
      .selectFrom('users')
      .select('used_quota')
      .executeTakeFirstOrThrow()
    expect(used_quota).toBe(0)
  })
