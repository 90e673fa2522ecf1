import { afterEach, expect, test } from 'bun:test'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-5.5'
/** 20 minutes of 1 GB cost 3 cents, of 64 GB 1.92 dollars; a dollar is 500,000 units. */
const UNITS = { container_1g: 15_000, container_64g: 960_000 }
const CALL = { type: 'code_interpreter_call', container_id: 'c', status: 'completed' }
const TEXT = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }
const interpreter = (memory_limit: string) => ({
  type: 'code_interpreter',
  container: { type: 'auto', memory_limit },
})

let relay: TestRelay | undefined
afterEach(() => relay?.close())

test.each([
  ['says no tools', interpreter('64g'), {}, UNITS.container_64g],
  ['says none', interpreter('64g'), { tools: [] }, UNITS.container_64g],
  ['says another size', interpreter('64g'), { tools: [interpreter('1g')] }, UNITS.container_1g],
  ['says no tools, of a plain request', interpreter('1g'), {}, UNITS.container_1g],
] as const)(
  'charges the container that was asked for where the response %s',
  async (_, tool, more, amount) => {
    const response = {
      object: 'response',
      status: 'completed',
      model: MODEL,
      output: [CALL, TEXT],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      ...more,
    }
    relay = await TestRelay.open({
      wallet: 1_000_000_000,
      prices: createPriceBook({ GroupRatio: { default: 1 } }),
      send: sendThrough(async () => Response.json(response)),
    })
    await relay.addChannel({ type: 1, models: MODEL })
    const body = { model: MODEL, input: 'hi', store: false, tools: [tool] }
    const received = await relay.request('/v1/responses', await relay.addToken(), body)
    expect(received.status, await received.text()).toBe(200)
    const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
    expect(Math.floor(Number(quota) / 1_000) * 1_000).toBe(amount)
  },
)
