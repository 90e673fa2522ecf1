import { afterEach, expect, test } from 'bun:test'
import { answerWith } from '../../testing/answer-with.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import type { Send } from './send.ts'

/** Answers whole whatever is asked: the vendor has no streams. */
const PALM = 11
const answer = { candidates: [{ author: '1', content: 'It is 21 degrees.' }] }
const send: Send = () => Promise.resolve(answerWith(Response.json(answer)))

let relay: TestRelay
afterEach(() => relay.close())

async function ask(isStream: boolean) {
  relay = await TestRelay.open({ send })
  await relay.addChannel({ type: PALM, base_url: 'http://vendor.test' })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: isStream }
  const answer = await relay.ask('/v1/chat/completions', await relay.addToken(), body)
  const text = await answer.text()
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  return { type: answer.headers.get('content-type'), text, quota }
}

test('gives a stream to clients of a vendor that has none, at the price of the whole answer', async () => {
  const whole = await ask(false)
  await relay.close()
  const streamed = await ask(true)
  expect(streamed.type).toContain('text/event-stream')
  expect(streamed.text).toContain('"content":"It is 21 degrees."')
  expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(streamed.quota).toBe(whole.quota)
})
