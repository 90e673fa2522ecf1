import type { BothLanguages } from '#server/core/language.ts'
import type { Cause } from './causes.ts'

const CENT_DIGITS = 2
const MINUTE_SECONDS = 60
const NANOS_PER_DOLLAR = 1_000_000_000

const dollars = (nanos: number): string =>
  `${nanos < 0 ? '-' : ''}$${Math.abs(nanos / NANOS_PER_DOLLAR).toFixed(CENT_DIGITS)}`

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** UTC+8, UTC-5 */
const zoneName = (hours: number): string => `UTC${hours < 0 ? '-' : '+'}${Math.abs(hours)}`

type Texts = (facts: {
  readonly nanos: number
  readonly count: number
  readonly factor: number
  readonly hours: number
  readonly names: readonly string[]
}) => BothLanguages

const TEXTS: Readonly<Record<Cause['code'], Texts>> = {
  unknown_cost: ({ count, nanos }) => ({
    zh: `${count} 个请求的成本未知，未计入我方金额；对这些请求共收费 ${dollars(nanos)}。`,
    en: `The cost of ${counted(count, 'request')} is not known and not in our amount; users were charged ${dollars(nanos)} for them.`,
  }),
  no_purchase_prices: ({ names }) => ({
    zh: `以下渠道没有采购价：${names.join('、')}。设置后，新请求会记录成本。`,
    en: `These channels have no purchase prices: ${names.join(', ')}. Once they have, new requests have a cost.`,
  }),
  no_price: ({ names }) => ({
    zh: `以下模型没有采购价：${names.join('、')}。`,
    en: `These models have no purchase price: ${names.join(', ')}.`,
  }),
  not_through_gateway: ({ names, nanos, count }) => ({
    zh: [
      ...(names.length > 0
        ? [`账单中有 ${dollars(nanos)} 的模型没有经过这些渠道：${names.join('、')}。`]
        : []),
      ...(count > 0 ? [`供应商比我方多计 ${count} 个请求。`] : []),
      '该账户可能还有不经过网关的流量，或缺少渠道。',
    ].join(''),
    en: [
      ...(names.length > 0
        ? [
            `The bill has ${dollars(nanos)} for models that these channels did not serve: ${names.join(', ')}.`,
          ]
        : []),
      ...(count > 0 ? [`The provider counted ${counted(count, 'request')} more.`] : []),
      'The account may have traffic that did not pass through the gateway, or a channel is missing.',
    ].join(' '),
  }),
  not_billed: ({ names, nanos }) => ({
    zh: `账单中没有以下模型，我方成本为 ${dollars(nanos)}：${names.join('、')}。所选渠道可能属于另一个账户，或文件只含部分项目。`,
    en: `The bill does not have these models, which cost ${dollars(nanos)} by our count: ${names.join(', ')}. A channel may belong to another account, or the file covers only some projects.`,
  }),
  time_zone: ({ hours }) => ({
    zh: `按 ${zoneName(hours)} 划分日期时每日金额吻合：账单的日期可能使用该时区，因此期间首尾有差异。`,
    en: `The days fit when they begin as in ${zoneName(hours)}: the bill may use that time zone, so that amounts differ at both ends of the period.`,
  }),
  days_missing: ({ count, nanos, names }) => ({
    zh: `账单缺少 ${count} 天的数据，我方成本为 ${dollars(nanos)}：${names.join('、')}。`,
    en: `The files have nothing for ${counted(count, 'day')} that cost ${dollars(nanos)} by our count: ${names.join(', ')}.`,
  }),
  rows_outside: ({ count, nanos }) => ({
    zh: `文件中有 ${count} 行在所选期间之外，未计入，金额为 ${dollars(nanos)}。`,
    en: `${counted(count, 'row')} of the files, ${dollars(nanos)}, ${count === 1 ? 'is' : 'are'} outside of the period and left out.`,
  }),
  items_without_model: ({ nanos, names }) => ({
    zh: `账单中有 ${dollars(nanos)} 没有指明模型${listed(names, '：', '、')}。我方把工具的成本计入使用它的模型。`,
    en: `${dollars(nanos)} of the bill name no model${listed(names, ': ', ', ')}. Our costs count tools under the model that used them.`,
  }),
  factor: ({ factor }) => ({
    zh: `各模型的账单金额都是我方成本的 ${factor} 倍：请检查渠道的采购价系数。`,
    en: `The bill is ${factor} times our cost for each model: check the purchase price factor of the channels.`,
  }),
  credits: ({ nanos }) => ({
    zh: `账单含 ${dollars(nanos)} 的抵扣或更正。`,
    en: `The bill has ${dollars(nanos)} of credits or corrections.`,
  }),
  rounding: ({ nanos }) => ({
    zh: `文件的每一行都舍入到美分，由此最多相差 ${dollars(nanos)}。`,
    en: `Each row of the files is rounded to a cent, which can make up to ${dollars(nanos)}.`,
  }),
  charged_more: ({ nanos }) => ({
    zh: `账户比我方成本多扣 ${dollars(nanos)}：该账户可能有不经过网关的流量或其他密钥，或所选渠道不全。`,
    en: `The account was charged ${dollars(nanos)} more than our cost: it may have traffic that did not pass through the gateway, or a channel is missing.`,
  }),
  charged_less: ({ nanos }) => ({
    zh: `账户比我方成本少扣 ${dollars(nanos)}：可能有未填写的充值、赠送额度，或供应商的余额更新较慢。`,
    en: `The account was charged ${dollars(nanos)} less than our cost: a top-up or credit may be missing here, or the provider updates the balance late.`,
  }),
  edges: ({ nanos, count }) => ({
    zh: `成本按${count === MINUTE_SECONDS ? '分钟' : '小时'}保存：首尾两段的成本为 ${dollars(nanos)}，其中一部分可能在两次读取之外。`,
    en: `Costs are kept by the ${count === MINUTE_SECONDS ? 'minute' : 'hour'}: ${dollars(nanos)} are of the first and last one, parts of which are before or after the readings.`,
  }),
  still_counting: () => ({
    zh: '期间尚未结束，或仍有请求未统计完。',
    en: 'The period has not ended, or some of its requests are not counted yet.',
  }),
}

const listed = (names: readonly string[], before: string, between: string): string =>
  names.length === 0 ? '' : `${before}${names.join(between)}`

/** Text of a cause, in both languages. */
export const causeText = ({
  code,
  nanos = 0,
  count = 0,
  factor = 0,
  hours = 0,
  names = [],
}: Cause): BothLanguages => TEXTS[code]({ nanos, count, factor, hours, names })
