import type { BothLanguages, Language } from '#server/core/language.ts'
import type { FeedProblem, ProblemReason } from './feeds/feed.ts'

const TEXTS: Readonly<Record<ProblemReason, BothLanguages>> = {
  shape: { zh: '内容的结构无法识别', en: 'the entry has an unknown shape' },
  name: {
    zh: '模型名称含有不可见字符或不允许使用',
    en: 'the name has characters that are not seen, or is not allowed',
  },
  name_too_long: { zh: '模型名称过长（{found} 个字符）', en: 'the name is too long ({found} characters)' },
  renamed: { zh: '名称与 {found} 不一致', en: 'the name differs from {found}, which it seems to mean' },
  duplicate: { zh: '重复出现且价格不同', en: 'it appears more than once, at different prices' },
  not_a_number: { zh: '{field} 为 {found}，不是数字', en: '{field} is {found}, which is no number' },
  negative: {
    zh: '{field} 为 {found}，价格不能为负数',
    en: '{field} is {found}: a price cannot be negative',
  },
  too_high: {
    zh: '{field} 为 {found}，高得不合理，可能单位有误',
    en: '{field} is {found}, which is too high to be a price; the unit may be wrong',
  },
  too_low: {
    zh: '{field} 为 {found}，低得不合理，可能单位有误',
    en: '{field} is {found}, which is too low to be a price; the unit may be wrong',
  },
  tiers: {
    zh: '{field} 长提示词的价格低于短提示词，或长度没有递增',
    en: '{field} long prompts cost less than shorter ones, or the lengths do not rise',
  },
  unknown_price: {
    zh: '计价项 {field}（{found}）无法识别，其他价格的含义可能因此不同',
    en: '{field} ({found}) is a price that is not understood, and may change what the others mean',
  },
  placeholder: {
    zh: '倍率 {found} 是未定价模型的占位值',
    en: 'the ratio {found} is the placeholder of models without a price',
  },
  inexact: {
    zh: '{field} {found} 位数过多，无法精确计费',
    en: '{field} {found} cannot be charged exactly',
  },
}

/** Why a row of a feed changes nothing, in a language. */
export const problemText = ({ reason, field, found }: FeedProblem, language: Language): string =>
  TEXTS[reason][language].replace('{field}', field).replace('{found}', found).trim()
