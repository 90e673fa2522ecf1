import { afterEach, expect, test } from 'bun:test'
import { receivedResponse } from '../../testing/received-response.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import type { Send } from './send.ts'

/** A vendor without streaming. */
const PALM = 11
const reply = { candidates: [{ author: '1', content: 'It is 21 degrees.' }] }
const send: Send = () => Promise.resolve(receivedResponse(Response.json(reply)))

let relay: TestRelay
afterEach(() => relay.close())

async function requestChat(isStream: boolean) {
  relay = await TestRelay.open({ send })
  await relay.addChannel({ type: PALM, base_url: 'http://vendor.test' })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: isStream }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const text = await response.text()
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  return { type: response.headers.get('content-type'), text, quota }
}

test('streams the response of a vendor without streaming at the price of its JSON response', async () => {
  const json = await requestChat(false)
  await relay.close()
  const streamed = await requestChat(true)
  expect(streamed.type).toContain('text/event-stream')
  expect(streamed.text).toContain('"content":"It is 21 degrees."')
  expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(streamed.quota).toBe(json.quota)
})
