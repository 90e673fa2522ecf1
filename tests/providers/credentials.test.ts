import { afterEach, expect, test } from 'bun:test'
import { testChannel } from '#features/channels/server/test-channel.ts'
import { sameInBoth } from '#server/core/language.ts'
import type { Send } from '#server/http-client/send.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

/** A provider may end the token that a key was traded for before its time. */
const BAIDU = 15
const EXPIRED = { error_code: 111, error_msg: 'Access token expired', id: 'as-err01' }
const INVALID = { error_code: 110, error_msg: 'Access token invalid or no longer valid', id: 'as-err01' }
const REPLY = {
  id: 'as-1',
  object: 'chat.completion',
  created: 1_751_300_000,
  result: 'Sunny.',
  is_truncated: false,
  finish_reason: 'normal',
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
}
const STREAMED = `data: ${JSON.stringify({ ...REPLY, is_end: true })}\n\n`

interface Baidu {
  readonly relay: TestRelay
  readonly key: string
  readonly channelId: number
  /** The tokens that were issued, and the calls with them. */
  readonly issued: string[]
  readonly calls: string[]
}

let opened: TestRelay | undefined
afterEach(() => opened?.close())

/** Baidu, which accepts the tokens that `accepts` names and answers others with `error`. */
async function openBaidu(accepts: (token: string) => boolean, error: object = EXPIRED): Promise<Baidu> {
  const issued: string[] = []
  const calls: string[] = []
  const send: Send = ({ url, body }) => {
    const token = new URL(url).searchParams.get('access_token')
    if (token === null) {
      issued.push(`token-${issued.length + 1}`)
      return respond(Response.json({ access_token: issued.at(-1), expires_in: 2_592_000 }))
    }
    calls.push(token)
    if (!accepts(token)) return respond(Response.json(error))
    const isStream = String(body).includes('"stream":true')
    const events = new Response(STREAMED, { headers: { 'content-type': 'text/event-stream' } })
    return respond(isStream ? events : Response.json(REPLY))
  }
  const relay = await TestRelay.open({ send, options: { AutomaticDisableChannelEnabled: true } })
  opened = relay
  const channelId = await relay.addChannel({
    type: BAIDU,
    base_url: 'https://v.example',
    key_sealed: relay.context.secrets.encrypt('id|secret'),
  })
  return { relay, key: await relay.addToken(), channelId, issued, calls }
}

const respond = (response: Response) => Promise.resolve(receivedResponse(response))
const ask = ({ relay, key }: Baidu, isStream = false) =>
  relay.request('/v1/chat/completions', key, {
    model: 'lab',
    stream: isStream,
    messages: [{ role: 'user', content: 'Weather?' }],
  })

test.each([
  ['expired', EXPIRED, false],
  ['expired, in a stream', EXPIRED, true],
  ['no longer valid', INVALID, false],
  ['no longer valid, in a stream', INVALID, true],
])('renews a token that is %s and repeats the call', async (_, error, isStream) => {
  const baidu = await openBaidu(token => token !== 'token-1', error)
  const response = await ask(baidu, isStream)
  expect(await response.text()).toContain('Sunny.')
  expect(baidu.issued).toEqual(['token-1', 'token-2'])
  expect(baidu.calls).toEqual(['token-1', 'token-2'])
  expect((await ask(baidu)).status).toBe(200)
  expect(baidu.issued).toHaveLength(2)
})

test('renews a token once for all requests that it fails', async () => {
  const baidu = await openBaidu(token => token !== 'token-1')
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(baidu)))
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(baidu.issued).toEqual(['token-1', 'token-2'])
})

test('reports a failure when the new token is rejected too', async () => {
  const baidu = await openBaidu(() => false)
  const response = await ask(baidu)
  expect(response.status).toBe(401)
  expect(await response.text()).toContain('Access token expired')
  expect(baidu.calls).toEqual(['token-1', 'token-2'])
  expect(baidu.relay.disabled).toEqual([])
})

test('renews a token in the test of a channel', async () => {
  const baidu = await openBaidu(token => token !== 'token-1')
  const result = await testChannel(baidu.relay.context, baidu.channelId, { model: 'lab', isStream: false })
  expect(result).toMatchObject({ ok: true, message: sameInBoth('') })
})
