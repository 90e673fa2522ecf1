import { z } from 'zod'

/** Zod's Chinese leaves the names of types in English. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: '文本',
  number: '数字',
  int: '整数',
  nan: '非数字',
  NaN: '非数字',
  bigint: '整数',
  boolean: '布尔值',
  object: '对象',
  record: '对象',
  array: '列表',
  数组: '列表',
  tuple: '列表',
  undefined: '空值',
  null: '空值',
  date: '日期',
}
const NAMED_BY_TYPE: ReadonlySet<string | undefined> = new Set([
  'invalid_type',
  'too_big',
  'too_small',
  'invalid_key',
  'invalid_element',
])
const TYPE_WORD = new RegExp(`(?<![\\w(])(${Object.keys(TYPE_NAMES).join('|')})(?!\\w)`, 'g')
const zodChinese = z.locales.zhCN().localeError

/** The message of an issue without a word of English, except for values and names that the reader wrote. */
export function chineseIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'too_small' && issue.minimum === 1 && issue.origin !== 'number') return '不能为空'
  const message = zodChinese(issue)
  const text = (typeof message === 'string' ? message : message?.message) ?? '无效输入'
  if (!NAMED_BY_TYPE.has(issue.code)) return text.replace('的键(key)', '的键')
  return text
    .replace(/\((key|value|null)\)/g, '')
    .replace(TYPE_WORD, word => TYPE_NAMES[word] ?? word)
    .replace('实际接收 空值', '实际为空')
}
