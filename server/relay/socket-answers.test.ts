import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { TestRelay } from '../testing/test-relay.ts'
import { send } from './upstream/send.ts'

const SPARK = 18
const TEXTS = ['It is', ' 21', ' degrees.']
const FIRST = 0
const BETWEEN = 1
const LAST = 2

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

function frameOf(content: string, index: number): string {
  const status = index === 0 ? FIRST : index < TEXTS.length - 1 ? BETWEEN : LAST
  const usage = { text: { prompt_tokens: 6, completion_tokens: 9, total_tokens: 15 } }
  const choices = { status, seq: index, text: [{ content, role: 'assistant', index: 0 }] }
  const payload = status === LAST ? { choices, usage } : { choices }
  return JSON.stringify({ header: { code: 0, sid: 's', status }, payload })
}

/** Asks a vendor that speaks over sockets, and that leaves the socket open after its answer. */
async function ask(isStream: boolean, handshake = 101) {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) =>
      handshake === 101 && own.upgrade(request) ? undefined : new Response(null, { status: handshake }),
    websocket: {
      message(socket) {
        for (const [index, text] of TEXTS.entries()) socket.send(frameOf(text, index))
      },
    },
  })
  relay = await TestRelay.open({ send })
  const channel = { type: SPARK, base_url: `ws://127.0.0.1:${server.port}` }
  await relay.addChannel({ ...channel, key_sealed: relay.context.secrets.encrypt('app|secret|key') })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: isStream }
  const answer = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const text = await answer.text()
  const log = await relay.db.selectFrom('logs').select(['quota', 'prompt_tokens']).execute()
  return { status: answer.status, text, log }
}

test('a stream over a socket ends with the answer, and is charged by its usage', async () => {
  const { text, log } = await ask(true)
  for (const content of TEXTS) expect(text).toContain(`"content":${JSON.stringify(content)}`)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(log).toEqual([{ quota: 6 + 2 * 9, prompt_tokens: 6 }])
})

test('a client that wants it whole gets it whole, for the same charge', async () => {
  const { text, log } = await ask(false)
  expect(JSON.parse(text).choices[0].message.content).toBe(TEXTS.join(''))
  expect(log).toEqual([{ quota: 6 + 2 * 9, prompt_tokens: 6 }])
})

test('a refused handshake says what is wrong with the key, and costs nothing', async () => {
  const { status, text } = await ask(false, 401)
  expect(status).toBe(401)
  expect(text).toContain('APPID|APISecret|APIKey')
  const wallet = await relay.db.selectFrom('users').select('used_quota').executeTakeFirstOrThrow()
  expect(wallet.used_quota).toBe(0)
})
