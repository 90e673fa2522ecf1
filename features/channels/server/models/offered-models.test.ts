import { describe, expect, test } from 'bun:test'
import { catalogueModels } from '#server/pricing/catalogue.ts'
import { offeredModels } from './offered-models.ts'

const TODAY = new Date('2026-11-29T12:00:00Z')
const openai = offeredModels({ catalogue: 'openai', models: ['whisper-1', 'text-davinci-edit-001'] }, TODAY)
const anthropic = offeredModels({ catalogue: 'anthropic', models: ['claude-2', 'claude-opus-4-1'] }, TODAY)

describe('a new channel of a provider that the catalogue knows', () => {
  test('begins with its models of today, newest first', () => {
    expect(anthropic.slice(0, 2)).toEqual(['claude-opus-5-5', 'claude-fable-5-1'])
    expect(anthropic).toContain('claude-sonnet-5-5')
    expect(openai).toContain('gpt-5.4-mini')
    const days = openai.map(name => catalogueModels.get(name)?.released ?? '')
    expect(days).toEqual(days.toSorted((a, b) => b.localeCompare(a)))
  })

  test.each(['gpt-3.5-turbo-0613', 'gpt-4o-2024-05-13', 'text-davinci-edit-001', 'o4-mini', 'gpt-4o'])(
    'does not begin with %s of OpenAI',
    name => expect(openai).not.toContain(name),
  )

  test.each(['claude-2', 'claude-instant-1.2', 'claude-3-5-sonnet-20240620', 'claude-opus-4-5-20251101'])(
    'does not begin with %s of Anthropic',
    name => expect(anthropic).not.toContain(name),
  )

  test('no longer begins with a model from the day on which the provider ends it', () => {
    const [name, { retires = '' }] = [...catalogueModels].find(
      ([, model]) => model.vendor === 'openai' && model.retires && model.released && !model.deprecated,
    ) ?? ['', {}]
    const on = (day: string) => offeredModels({ models: [name] }, new Date(`${day}T12:00:00Z`))
    expect(on('2020-01-01')).toEqual([name])
    expect(on(retires)).toEqual([])
  })
})

test('a channel of another provider begins with its own list, as it is', () => {
  const models = ['b', 'gpt-5.4', 'a']
  expect(offeredModels({ models }, TODAY)).toEqual(models)
})
