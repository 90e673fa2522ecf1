import { expect, test } from 'bun:test'
import { toMoonshotBody } from './index.ts'

test('leaves the tool choice to models that reject a forced one', () => {
  const body = { model: 'moonshot-v1-8k', tool_choice: 'required' }
  expect(toMoonshotBody(body)).toEqual({ ...body, tool_choice: 'auto' })
})

test('forces a tool call on newer models', () => {
  const body = { model: 'kimi-k2-0905-preview', tool_choice: 'required' }
  expect(toMoonshotBody(body)).toEqual(body)
})
