import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { TestRelay } from '../../testing/test-relay.ts'
import type { FormField } from './client-connection.ts'
import { formFields } from './parse-request.ts'

const PARTS = 60_000
const DURATION_MS_MAX = 2_000

const formOf = (...fields: readonly (readonly [name: string, value: string])[]): readonly FormField[] =>
  fields.map(([name, value]) => ({ name, value }))

test('turns a form field that repeats or ends in [] into a list in order', () => {
  const form = formOf(
    ['one', '1'],
    ['list[]', 'a'],
    ['again', 'x'],
    ['again', 'y'],
    ['mixed', '1'],
    ['mixed[]', '2'],
  )
  expect(formFields(form)).toEqual({ one: '1', list: ['a'], again: ['x', 'y'], mixed: ['1', '2'] })
})

test('parses many form parts of one name in linear time', () => {
  const form = formOf(...Array.from({ length: PARTS }, () => ['a[]', 'x'] as const))
  const startedMs = performance.now()
  expect(formFields(form).a).toHaveLength(PARTS)
  expect(performance.now() - startedMs).toBeLessThan(DURATION_MS_MAX)
})

describe('a request', () => {
  let relay: TestRelay
  beforeEach(async () => {
    relay = await TestRelay.open()
    await relay.addChannel()
  })
  afterEach(() => relay.close())

  const MESSAGES = [{ role: 'user', content: 'hi' }]
  async function send(body: object, headers: Record<string, string> = {}, columns = {}) {
    const token = await relay.addToken({ columns })
    const response = await relay.request(
      '/v1/chat/completions',
      token,
      { model: 'lab', messages: MESSAGES, ...body },
      headers,
    )
    return [response.status, await response.text()] as const
  }

  test('is refused for a model that its token may not use', async () => {
    const [status, text] = await send({}, {}, { model_limits_enabled: 1, model_limits: 'other' })
    expect([status, text]).toEqual([403, expect.stringContaining('may not use the model lab')])
  })

  test('is refused with a header that no provider could be sent', async () => {
    const body = { model: 'lab', max_tokens: 9, messages: MESSAGES }
    const headers = { 'anthropic-beta': 'caf\u00e9' }
    const response = await relay.request('/v1/messages', await relay.addToken(), body, headers)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('anthropic-beta')])
  })

  test('is refused with a schema of more keys than any tool has', async () => {
    const properties = Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`k${at}`, {}]))
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } }]
    const [status, text] = await send({ tools })
    expect([status, text]).toEqual([400, expect.stringContaining('the schema of a tool')])
  })
})
