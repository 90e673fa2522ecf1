import { afterEach, expect, test } from 'bun:test'
import type { Send } from '../../http-client/send.ts'
import { receivedBody, receivedResponse } from '../../testing/received-response.ts'
import { TestRelay } from '../../testing/test-relay.ts'

/** A provider without streaming. */
const PALM = 11
const reply = { candidates: [{ author: '1', content: 'It is 21 degrees.' }] }
const send: Send = () => Promise.resolve(receivedResponse(Response.json(reply)))

let relay: TestRelay
afterEach(() => relay.close())

async function requestChat(isStream: boolean) {
  relay = await TestRelay.open({ send })
  await relay.addChannel({ type: PALM, base_url: 'http://provider.test' })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: isStream }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const text = await response.text()
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  return { type: response.headers.get('content-type'), text, quota }
}

test('streams the response of a provider without streaming at the price of its JSON response', async () => {
  const json = await requestChat(false)
  await relay.close()
  const streamed = await requestChat(true)
  expect(streamed.type).toContain('text/event-stream')
  expect(streamed.text).toContain('"content":"It is 21 degrees."')
  expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(streamed.quota).toBe(json.quota)
})

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const BEDROCK = 33
const IMAGE = Buffer.from(Array.from({ length: 1_500_000 }, (_, at) => (at * 7919) >>> 3)).toString('base64')

test.each([
  [OPENAI, 'key'],
  [ANTHROPIC, 'key'],
  [GEMINI, 'key'],
  [BEDROCK, 'access|secret|us-east-1'],
])(
  'sends a large image whole to a provider of type %i, with the overrides of the channel',
  async (type, key) => {
    const bodies: unknown[] = []
    relay = await TestRelay.open({
      async send({ body }) {
        bodies.push(JSON.parse(await new Response(receivedBody(body) ?? '').text()))
        return receivedResponse(Response.json({}, { status: 400 }))
      },
    })
    const overrides = JSON.stringify({ overridden: '字' })
    const key_sealed = relay.encryptKey(key)
    await relay.addChannel({ type, key_sealed, base_url: 'http://provider.test', param_override: overrides })
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: '这是什么？' }, image] }]
    await relay.request('/v1/chat/completions', await relay.addToken(), { model: 'lab', messages })
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatchObject({ overridden: '字' })
    const sent = JSON.stringify(bodies[0])
    expect(sent).toContain('这是什么？')
    expect(sent.split(IMAGE)).toHaveLength(2)
  },
)
