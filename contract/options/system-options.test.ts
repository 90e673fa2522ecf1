import { expect, test } from 'bun:test'
import prices from './default-prices.json'
import { isOptionKey, systemOptions } from './system-options.ts'

const everyOption = Object.entries(systemOptions)

test('has defaults that their own schemas accept', () => {
  for (const [key, { schema, initial }] of everyOption)
    expect({ key, problem: schema.safeParse(initial).error?.message }).toEqual({ key, problem: undefined })
})

test('recognizes only the names of options', () => {
  expect(isOptionKey('ModelRatio')).toBe(true)
  expect(isOptionKey('toString')).toBe(false)
})

test('has the prices of the specification with its known mistakes corrected', () => {
  const ratios = systemOptions.ModelRatio.schema.parse(systemOptions.ModelRatio.initial)
  // Without a ratio, a second of sound has its list price.
  expect(ratios).not.toHaveProperty('whisper-1')
  expect(Object.keys(prices.model_ratio)).toHaveLength(174)
  expect(ratios).toMatchObject(prices.model_ratio)
  expect(ratios['gpt-4o']).toBe(1.25)
  expect(ratios['llama-3-sonar-large-32k-chat']).toBe(0.5)
  const completion = systemOptions.CompletionRatio.schema.parse(systemOptions.CompletionRatio.initial)
  expect(completion['gpt-4-1106-preview']).toBe(3)
})

test('rejects negative, textual and duplicate figures', () => {
  for (const bad of ['{"a":-0.1}', '{"a":"1"}', '{"a":1,"a":1}', '[1]', '{"a":1'])
    expect(systemOptions.GroupRatio.schema.safeParse(bad).success).toBe(false)
  expect(systemOptions.GroupRatio.schema.parse('{"a":0,"b":1.5}')).toEqual({ a: 0, b: 1.5 })
})

test('accepts only known rules of groups for service tiers and server tools', () => {
  const { schema } = systemOptions.GroupRequestPolicies
  const rules = { default: { service_tier: 'strip', server_tools: 'forbid' }, '*': {} }
  expect(schema.parse(JSON.stringify(rules))).toEqual(rules as ReturnType<typeof schema.parse>)
  for (const bad of ['{"a":{"service_tier":"never"}}', '{"a":{"speed":"strip"}}', '{"a":"strip"}', '[]'])
    expect(schema.safeParse(bad).success).toBe(false)
})

test('accepts exactly true or false for flags', () => {
  expect(systemOptions.RegisterEnabled.schema.parse('true')).toBe(true)
  for (const bad of ['1', 'TRUE', ''])
    expect(systemOptions.RegisterEnabled.schema.safeParse(bad).success).toBe(false)
})

test('rejects numbers out of bounds and empty text', () => {
  const { schema } = systemOptions.RetryTimes
  expect(schema.parse('3')).toBe(3)
  for (const bad of ['', ' ', '1.5', '-1', '11', 'three', 'NaN', 'Infinity'])
    expect(schema.safeParse(bad).success).toBe(false)
})

test('removes trailing slashes from addresses, which must be http or https', () => {
  const { schema } = systemOptions.ServerAddress
  expect(schema.parse('https://a.example//')).toBe('https://a.example')
  expect(schema.parse('')).toBe('')
  expect(schema.safeParse('javascript:alert(1)').success).toBe(false)
})

test('requires chat links to be objects with one key', () => {
  const { schema } = systemOptions.Chats
  expect(schema.parse('[{"a":"https://b.example/{key}"}]')).toEqual([{ a: 'https://b.example/{key}' }])
  expect(schema.safeParse('[{"a":"1","b":"2"}]').success).toBe(false)
})

test('marks exactly the keys, tokens and secrets of other systems as secret', () => {
  const secrets = everyOption.filter(([, option]) => option.isSecret).map(([key]) => key)
  expect(secrets.sort()).toEqual([
    'EpayKey',
    'GitHubClientSecret',
    'LinuxDOClientSecret',
    'SMTPToken',
    'TelegramBotToken',
    'TurnstileSecretKey',
    'WeChatServerToken',
    'WorkerValidKey',
  ])
})
