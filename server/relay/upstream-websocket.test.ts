import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { send } from '../http-client/send.ts'
import { TestRelay } from '../testing/test-relay.ts'

const SPARK = 18
const TEXTS = ['It is', ' 21', ' degrees.']
const STATUS_FIRST = 0
const STATUS_MIDDLE = 1
const STATUS_LAST = 2

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

function toFrame(content: string, index: number): string {
  const status = index === 0 ? STATUS_FIRST : index < TEXTS.length - 1 ? STATUS_MIDDLE : STATUS_LAST
  const usage = { text: { prompt_tokens: 6, completion_tokens: 9, total_tokens: 15 } }
  const choices = { status, seq: index, text: [{ content, role: 'assistant', index: 0 }] }
  const payload = status === STATUS_LAST ? { choices, usage } : { choices }
  return JSON.stringify({ header: { code: 0, sid: 's', status }, payload })
}

/** Calls a provider over a websocket that stays open after the response. */
async function call(isStream: boolean, handshake = 101) {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) =>
      handshake === 101 && own.upgrade(request) ? undefined : new Response(null, { status: handshake }),
    websocket: {
      message(socket) {
        for (const [index, text] of TEXTS.entries()) socket.send(toFrame(text, index))
      },
    },
  })
  relay = await TestRelay.open({ send })
  const channel = { type: SPARK, base_url: `ws://127.0.0.1:${server.port}` }
  await relay.addChannel({ ...channel, key_sealed: relay.context.secrets.encrypt('app|secret|key') })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: isStream }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const text = await response.text()
  const log = await relay.db.selectFrom('logs').select(['quota', 'prompt_tokens']).execute()
  return { status: response.status, text, log }
}

test('ends a websocket stream with the response and charges its usage', async () => {
  const { text, log } = await call(true)
  for (const content of TEXTS) expect(text).toContain(`"content":${JSON.stringify(content)}`)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(log).toEqual([{ quota: 6 + 2 * 9, prompt_tokens: 6 }])
})

test('collects a websocket stream for a JSON client at the same charge', async () => {
  const { text, log } = await call(false)
  expect(JSON.parse(text).choices[0].message.content).toBe(TEXTS.join(''))
  expect(log).toEqual([{ quota: 6 + 2 * 9, prompt_tokens: 6 }])
})

test('explains a rejected handshake and charges nothing', async () => {
  const { status, text } = await call(false, 401)
  expect(status).toBe(401)
  expect(text).toContain('APPID|APISecret|APIKey')
  const wallet = await relay.db.selectFrom('users').select('used_quota').executeTakeFirstOrThrow()
  expect(wallet.used_quota).toBe(0)
})
