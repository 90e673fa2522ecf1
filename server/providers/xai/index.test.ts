import { expect, test } from 'bun:test'
import { toXaiBody } from './index.ts'

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
