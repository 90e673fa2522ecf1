import { describe, expect, test } from 'bun:test'
import { translatorOf } from '#console/ui/text/text.ts'
import { Channel, type ChannelType } from '../../contract/channels.ts'
import {
  type ChannelFormValues,
  channelFormSchema,
  countAdvancedChanges,
  newChannelValues,
  parseKeyLines,
  toChannelChange,
  toChannelDraft,
  toFormValues,
} from './form-schema.ts'
import { sheetText } from './text.ts'

const t = translatorOf(sheetText)

const provider = (type: number, form: Partial<ChannelType['form']> = {}): ChannelType => ({
  type,
  name: `provider ${type}`,
  name_zh: `provider ${type}`,
  popularity: 'common' as const,
  base_url: '',
  key_hint: '',
  key_pattern: '',
  models: ['a', 'b'],
  operations: ['chat'],
  can_list_models: true,
  can_query_balance: false,
  form: { base_url: 'optional', key: 'text', has_organization: false, ...form },
})

const types = new Map([
  [1, provider(1)],
  [8, provider(8, { base_url: 'required' })],
  [22, provider(22, { base_url: 'hidden' })],
  [41, provider(41, { key: 'json', other: { label: { zh: '地区', en: 'Region' }, is_required: true } })],
])

const filled = (changed: Partial<ChannelFormValues> = {}): ChannelFormValues => ({
  ...newChannelValues(types.get(1)),
  name: 'lab',
  key: 'sk-1',
  ...changed,
})

const stored: Channel = {
  id: 7,
  type: 1,
  key: '',
  name: '',
  status: 1,
  openai_organization: '',
  test_model: '',
  base_url: '',
  other: '',
  models: '',
  group: '',
  groups: [],
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  other_info: '',
  tag: '',
  priority: 0,
  weight: 0,
  auto_ban: 1,
  max_input_tokens: 0,
  response_time: 0,
  test_time: 0,
  created_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  stopped_models: [],
}

function problems(values: ChannelFormValues, isNew = true): Record<string, string> {
  const checked = channelFormSchema({ stored: isNew ? undefined : stored, types, t }).safeParse(values)
  return Object.fromEntries((checked.error?.issues ?? []).map(issue => [issue.path.join('.'), issue.message]))
}

describe('channel form rules', () => {
  test('requires a name, a key, a model and a group for a new channel, with the specified messages', () => {
    expect(problems(filled({ name: ' ', key: '\n', models: [], groups: [] }))).toEqual({
      name: '请填写渠道名称和密钥',
      key: '请填写渠道名称和密钥',
      models: '请至少选择一个模型',
      groups: '请至少选择一个分组',
    })
  })

  test('accepts an empty key for a stored channel', () => {
    expect(problems(filled({ key: '' }), false)).toEqual({})
  })

  test('requires the key again when the channel would send it elsewhere', () => {
    for (const moved of [
      { base_url: 'https://collector.example' },
      { type: '22' },
      { setting: '{"proxy":"http://collector.example"}' },
    ]) {
      expect(problems(filled({ ...moved, key: '' }), false)).toEqual({
        key: '密钥的发送地址已更改，请重新填写密钥',
      })
      expect(problems(filled(moved), false)).toEqual({})
    }
  })

  test('rejects several keys without the batch switch, but accepts a JSON key with many lines', () => {
    expect(Object.keys(problems(filled({ key: 'a\nb' })))).toEqual(['key'])
    expect(problems(filled({ key: 'a\nb', isBatch: true }))).toEqual({})
    expect(problems(filled({ type: '41', other: 'eu', key: '{\n"a":1\n}' }))).toEqual({})
  })

  test('requires the fields that the provider requires', () => {
    expect(Object.keys(problems(filled({ type: '8' })))).toEqual(['base_url'])
    expect(Object.keys(problems(filled({ type: '41' })))).toEqual(['other'])
  })

  test('validates every JSON field before sending', () => {
    const broken = {
      model_mapping: '{',
      status_code_mapping: '{"400":"9"}',
      setting: '[',
      param_override: '1',
    }
    expect(Object.keys(problems(filled(broken))).map(path => path.split('.')[0])).toEqual(Object.keys(broken))
    expect(problems(filled({ model_mapping: '{"a":' })).model_mapping).toBe('模型映射必须是合法的 JSON')
  })
})

describe('channel request body', () => {
  test('joins lists with commas, converts flags and numbers, and strips slashes from the end of the base URL', () => {
    const draft = toChannelDraft(
      filled({
        groups: ['default', 'vip'],
        weight: '-3',
        priority: '-5',
        auto_ban: false,
        base_url: 'http://a/v1//',
      }),
      types,
    )
    expect(draft).toMatchObject({
      models: 'a,b',
      group: 'default,vip',
      weight: 0,
      priority: -5,
      auto_ban: 0,
      base_url: 'http://a/v1',
    })
  })

  test('drops blank and duplicate keys of a batch', () => {
    expect(toChannelDraft(filled({ isBatch: true, key: 'a\n\nb\na' }), types).key).toBe('a\nb')
  })

  test('sends no base URL for a provider with a fixed address', () => {
    expect(toChannelDraft(filled({ type: '22', base_url: 'http://left.over' }), types).base_url).toBe('')
  })

  test('sends only the changed fields of a stored channel, a key with its address, and nothing when none changed', () => {
    const values = filled({ key: '' })
    const draft = toChannelDraft(values, types)
    const channel = Channel.parse({ ...stored, ...draft, key: '', groups: ['default'] })
    expect(toChannelChange(channel, toChannelDraft(toFormValues(channel), types))).toBeUndefined()
    const renamed = toChannelDraft({ ...toFormValues(channel), name: 'other', key: 'sk-2' }, types)
    expect(toChannelChange(channel, renamed)).toEqual({
      id: 7,
      name: 'other',
      key: 'sk-2',
      type: 1,
      base_url: '',
    })
  })
})

describe('setting fields', () => {
  const limited = { ...stored, name: 'lab', models: 'a', group: 'default', groups: ['default'] }

  test('splits limits and several_keys from the remaining setting JSON and joins them again', () => {
    const setting = '{"proxy":"http://p:1","max_concurrency":3,"several_keys":true}'
    const values = toFormValues({ ...limited, setting })
    expect(values).toMatchObject({ max_concurrency: '3', requests_per_minute: '0', several_keys: true })
    expect(JSON.parse(values.setting)).toEqual({ proxy: 'http://p:1' })
    expect(toChannelChange({ ...limited, setting }, toChannelDraft(values, types))).toBeUndefined()
    const changed = toChannelChange(
      { ...limited, setting },
      toChannelDraft({ ...values, requests_per_minute: '60' }, types),
    )
    expect(JSON.parse(changed?.setting ?? '')).toEqual({
      proxy: 'http://p:1',
      max_concurrency: 3,
      requests_per_minute: 60,
      several_keys: true,
    })
    expect(
      toChannelDraft({ ...values, max_concurrency: '0', several_keys: false, setting: '' }, types).setting,
    ).toBe('')
  })

  test('splits the region and the policies from the remaining setting JSON and joins them again', () => {
    const setting = '{"region":"us","service_tier":"strip","server_tools":"forbid","proxy":"http://p:1"}'
    const values = toFormValues({ ...limited, setting })
    expect(values).toMatchObject({ region: 'us', service_tier: 'strip', server_tools: 'forbid' })
    expect(JSON.parse(values.setting)).toEqual({ proxy: 'http://p:1' })
    expect(toChannelChange({ ...limited, setting }, toChannelDraft(values, types))).toBeUndefined()
    const allowed = { ...values, region: ' ', service_tier: 'allow', server_tools: 'allow' } as const
    expect(JSON.parse(toChannelDraft(allowed, types).setting ?? '')).toEqual({ proxy: 'http://p:1' })
    expect(Object.keys(problems(filled({ region: 'u'.repeat(33) })))).toEqual(['region'])
  })

  test('splits how the upstream counts from the remaining setting JSON and joins it again', () => {
    const setting = '{"cached_tokens":"separate","usage_multiplier":2.5,"proxy":"http://p:1"}'
    const values = toFormValues({ ...limited, setting })
    expect(values).toMatchObject({
      cached_tokens: 'separate',
      reasoning_tokens: '',
      usage_multiplier: '2.5',
    })
    expect(toChannelChange({ ...limited, setting }, toChannelDraft(values, types))).toBeUndefined()
    const usual = { ...values, cached_tokens: '', usage_multiplier: '1' } as const
    expect(JSON.parse(toChannelDraft(usual, types).setting ?? '')).toEqual({ proxy: 'http://p:1' })
    const bought = toFormValues({ ...limited, setting: '{"purchase_factor":0.8}' })
    expect(bought.purchase_factor).toBe('0.8')
    const unknown = toChannelDraft({ ...bought, purchase_factor: ' ' }, types)
    expect(unknown.setting).toBe('')
    for (const purchase_factor of ['0', '101', 'much'])
      expect(Object.keys(problems(filled({ purchase_factor })))).toEqual(['purchase_factor'])
    for (const usage_multiplier of ['0', '101', 'much'])
      expect(Object.keys(problems(filled({ usage_multiplier })))).toEqual(['usage_multiplier'])
  })

  test('leaves a setting without these keys unchanged, regardless of its formatting', () => {
    const setting = '{ "force_format" : true }'
    expect(
      toChannelChange({ ...limited, setting }, toChannelDraft(toFormValues({ ...limited, setting }), types)),
    ).toBeUndefined()
  })

  test('requires whole limits from 0 and accepts several keys only with the switch', () => {
    expect(Object.keys(problems(filled({ max_concurrency: '-1', requests_per_minute: '1.5' })))).toEqual([
      'max_concurrency',
      'requests_per_minute',
    ])
    expect(problems(filled({ key: 'a\nb', several_keys: true }))).toEqual({})
    expect(toChannelDraft(filled({ key: 'a\n\nb\na', several_keys: true }), types)).toMatchObject({
      key: 'a\nb',
      setting: JSON.stringify({ several_keys: true }, undefined, 2),
    })
  })

  test('reports invalid setting JSON and keeps its text', () => {
    const values = filled({ setting: '{ "proxy', max_concurrency: '3' })
    expect(Object.keys(problems(values))).toEqual(['setting'])
    expect(toChannelDraft(values, types).setting).toBe('{ "proxy')
  })
})

test('counts only the advanced fields that differ from a new channel', () => {
  expect(countAdvancedChanges(filled())).toBe(0)
  expect(countAdvancedChanges(filled({ setting: '{}', max_input_tokens: '5' }))).toBe(2)
})

test('drops and counts blank and duplicate keys, and ignores a final line break', () => {
  expect(parseKeyLines('a\n\n b \na\n')).toEqual({ keys: ['a', 'b'], blankCount: 1, duplicateCount: 1 })
})

test('finds no keys and drops nothing in blank text', () => {
  expect(parseKeyLines('\n \n')).toEqual({ keys: [], blankCount: 0, duplicateCount: 0 })
})
