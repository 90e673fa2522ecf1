import { expect, test } from 'bun:test'
import { toReasoningModelBody } from './reasoning-models.ts'

const messages = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
]

test.each(['gpt-4o', 'gpt-5-chat-latest', 'text-embedding-3-small', 'omni'])('leaves %s as it is', model => {
  const body = { model, messages, temperature: 0, max_tokens: 5 }
  expect(toReasoningModelBody(body)).toBe(body)
})

test.each(['o1', 'o3-mini', 'o4-mini-2025-04-16', 'gpt-5', 'gpt-5-mini'])(
  'gives %s the newer limit and no sampling',
  model => {
    const body = { model, messages, temperature: 0.2, top_p: 1, logit_bias: {}, max_tokens: 5, stop: ['x'] }
    expect(toReasoningModelBody(body)).toEqual({
      model,
      messages: [{ role: 'developer', content: 's' }, messages[1]],
      max_completion_tokens: 5,
      reasoning_effort: undefined,
      stop: ['x'],
    })
  },
)

test('gives models without a system role a user instead', () => {
  expect(toReasoningModelBody({ model: 'o1-mini', messages }).messages).toMatchObject([
    { role: 'user' },
    { role: 'user' },
  ])
})

test('reads the effort from the end of the name', () => {
  expect(toReasoningModelBody({ model: 'o3-mini-2025-01-31-high', messages })).toMatchObject({
    model: 'o3-mini-2025-01-31',
    reasoning_effort: 'high',
  })
})

test('keeps the limit that the client wrote by its newer name', () => {
  expect(
    toReasoningModelBody({ model: 'o3', messages, max_tokens: 5, max_completion_tokens: 9 }),
  ).toMatchObject({
    max_completion_tokens: 9,
  })
})

test('keeps sampling where the model shall not reason', () => {
  expect(
    toReasoningModelBody({ model: 'gpt-5.1', messages, temperature: 1, reasoning_effort: 'none' }),
  ).toMatchObject({
    temperature: 1,
  })
})

test('asks for as little thought as the model can do with, where a client of another dialect wants none', () => {
  const asked = (model: string) =>
    toReasoningModelBody({ model, messages: [], reasoning_effort: 'none' }, { isTranslated: true })
  expect(asked('o3').reasoning_effort).toBe('low')
  expect(asked('gpt-5-mini').reasoning_effort).toBe('minimal')
  expect(asked('gpt-5.1').reasoning_effort).toBe('none')
  expect(asked('gpt-4o')).not.toHaveProperty('reasoning_effort')
})
