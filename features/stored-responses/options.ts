import { flag, inSection, integer, type OptionSection, UNITS } from '#contract/options/define-option.ts'

const SECTION: OptionSection = {
  id: 'responseStore',
  tab: 'operation',
  order: 80,
  title: { zh: '响应存储', en: 'Stored responses' },
}

export const options = inSection(SECTION, {
  ResponseStoreEnabled: flag(true, {
    label: { zh: '存储 Responses 接口的响应', en: 'Store responses of the Responses API' },
    help: {
      zh: '供应商不存储响应时由网关加密存储，客户端可凭 ID 继续对话；请求设置 store 为 false 时不存储。',
      en: 'Where the provider stores none, the gateway does, encrypted, so that clients continue conversations by ID. Requests with store: false are not stored.',
    },
  }),
  ResponseStoreDays: integer(30, [1, 365], {
    label: { zh: '响应保留时间', en: 'Time to keep responses' },
    help: { zh: '从最后一次使用起计算。', en: 'Since their last use.' },
    unit: UNITS.days,
  }),
  ResponseStoreMegabytes: integer(100, [1, 10_240], {
    label: { zh: '每个用户的存储上限', en: 'Storage limit per user' },
    help: {
      zh: '超出后优先删除最久未使用的响应。',
      en: 'Beyond it, the responses that were not used for the longest time are deleted.',
    },
    unit: UNITS.mebibytes,
  }),
})
