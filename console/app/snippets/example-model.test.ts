import { describe, expect, test } from 'bun:test'
import { chooseExampleModel, usableModels } from './example-model.ts'

const row = (model_name: string, ...enable_groups: string[]) => ({ model_name, enable_groups })

describe('usable models', () => {
  const rows = [row('gpt-4o', 'default', 'vip'), row('claude-opus-4', 'vip'), row('deepseek-chat', 'default')]

  test('are those that a channel serves to the group of the user', () => {
    expect(usableModels(rows, 'default')).toEqual(['deepseek-chat', 'gpt-4o'])
  })

  test('follow the group of the token before the group of the user', () => {
    const token = { group: 'vip', model_limits: '', model_limits_enabled: false }
    expect(usableModels(rows, 'default', token)).toEqual(['claude-opus-4', 'gpt-4o'])
  })

  test('leave out what the token may not use', () => {
    const token = { group: '', model_limits: 'gpt-4o,claude-opus-4', model_limits_enabled: true }
    expect(usableModels(rows, 'default', token)).toEqual(['gpt-4o'])
  })
})

describe('the example model', () => {
  test('is a preferred chat model', () => {
    expect(chooseExampleModel(['claude-opus-4', 'gpt-4o-mini', 'text-embedding-3-small'])).toBe('gpt-4o-mini')
  })

  test('is any chat model when none is preferred, and any model when none chats', () => {
    expect(chooseExampleModel(['bge-m3', 'glm-4'])).toBe('glm-4')
    expect(chooseExampleModel(['bge-m3'])).toBe('bge-m3')
    expect(chooseExampleModel([])).toBeUndefined()
  })
})
