import { expect, test } from 'bun:test'
import { z } from 'zod'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { ApiError } from '../core/api-error.ts'
import { parseInput, rejectNul } from './parse-input.ts'

test.each([
  [{ 'vip-1': -1, 'vip-2': -1, 'vip-3': -1, 'vip-4': -1, good: 1 }, 'vip-3: ratios', '; and 1 more'],
  [{ good: 1, bad: 'x' }, 'bad: Invalid input', ''],
])('names the bad entries of a list and counts further ones', (ratios, named, counted) => {
  const parse = () => parseInput(systemOptions.GroupRatio.schema, JSON.stringify(ratios), 'en')
  expect(parse).toThrow(named)
  expect(parse).toThrow(counted)
  expect(parse).not.toThrow('good')
})

const { model_mapping, status_code_mapping, param_override } = ChannelFields.shape
test.each([
  [model_mapping, '[1]', '期望 对象，实际接收 列表'],
  [model_mapping, '{"a":1}', 'a: 无效输入：期望 文本，实际接收 数字'],
  [model_mapping, '{"a":""}', 'a: 不能为空'],
  [status_code_mapping, '{"a":"503"}', '对象 中的键无效'],
  [status_code_mapping, '{"404":"abc"}', '404: 状态码应为 100 到 599'],
  [param_override, '7', '期望 对象，实际接收 数字'],
  [z.array(z.int()).min(1), [], '不能为空'],
  [z.object({ ids: z.array(z.int()) }), { ids: ['a'] }, 'ids.0: 无效输入：期望 数字'],
  [z.object({ ids: z.int() }), { ids: 1.5 }, 'ids: 无效输入：期望 整数，实际接收 数字'],
  [z.object({ ids: z.int() }), {}, 'ids: 无效输入：期望 数字，实际为空'],
  [z.int().max(5), 9, '期望 数字 <=5'],
  [z.string().max(2), 'abc', '期望 文本 <=2 字符'],
  [z.boolean(), null, '期望 布尔值，实际为空'],
  [z.record(z.string(), z.string()), null, '期望 对象，实际为空'],
  [z.literal(['array', 'object']), 'x', '期望以下之一 "array"|"object"'],
  [model_mapping, '{a}', '不是合法的 JSON'],
])('says in Chinese what is wrong, %#', (schema, input, message) => {
  const error = attempt(() => parseInput<unknown>(schema, input, 'zh'))
  expect(error instanceof ApiError && error.in('zh')).toContain(message)
})

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('rejects a NUL character in any key or value', () => {
  for (const sent of ['a\0', ['\0'], { a: { b: ['\0'] } }, { 'a\0': 1 }])
    expect(() => rejectNul(sent)).toThrow('NUL')
})

test('accepts everything else, however deeply it is nested', () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 200_000; level += 1) deep = [deep]
  for (const sent of [undefined, null, 1, 'text', { a: [1, '\\u0000'] }, deep])
    expect(() => rejectNul(sent)).not.toThrow()
})
