import { expect, test } from 'bun:test'
import { provider, toXaiBody } from './index.ts'

const sampling = { stop: ['x'], presence_penalty: 1, frequency_penalty: 1 }

test('reads the effort of the small model from the end of its name', () => {
  expect(toXaiBody({ model: 'grok-3-mini-beta-high', max_tokens: 5, ...sampling })).toEqual({
    model: 'grok-3-mini-beta',
    max_completion_tokens: 5,
    reasoning_effort: 'high',
  })
})

test('drops fields that later models reject', () => {
  expect(toXaiBody({ model: 'grok-4', reasoning_effort: 'high', ...sampling })).toEqual({ model: 'grok-4' })
})

test('keeps bodies of models without reasoning unchanged', () => {
  const body = { model: 'grok-3-beta', max_tokens: 5, ...sampling }
  expect(toXaiBody(body)).toEqual(body)
})

test.each([
  ['thoughts beside the completion', { total_tokens: 20 }, 6],
  ['no sum', {}, 4],
])('reads a usage with %s', (_, sum, output) => {
  const channel = { id: 1, key: 'k', baseUrl: '', other: '', organization: '', setting: {} }
  const body = { model: 'grok-4', messages: [] }
  const json = {
    choices: [{ message: { content: 'a' } }],
    usage: { prompt_tokens: 14, completion_tokens: 4, ...sum },
  }
  const call = { channel, model: 'grok-4', body, isStream: false, requestId: 'r', nowSeconds: 0 }
  expect(provider.chat?.reply(json, call)).toMatchObject({ usage: { input: 14, output } })
})
