import { expect, test } from 'bun:test'
import { toMoonshotBody } from './index.ts'

test('leaves the choice of a tool to models that cannot be made to call one', () => {
  const body = { model: 'moonshot-v1-8k', tool_choice: 'required' }
  expect(toMoonshotBody(body)).toEqual({ ...body, tool_choice: 'auto' })
})

test('makes newer models call one', () => {
  const body = { model: 'kimi-k2-0905-preview', tool_choice: 'required' }
  expect(toMoonshotBody(body)).toEqual(body)
})
