import { flag, inSection, integer } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.monitoring, {
  MarginAlarmRequests: integer(20, [0, 10_000], {
    label: { zh: '低于成本销售的提醒次数', en: 'Alarm after requests below cost' },
    help: {
      zh: '渠道连续这么多次以低于成本的价格销售同一模型时提醒超级管理员；0 表示不提醒。仅适用于填写了采购价的渠道。',
      en: 'The super administrator is notified when a channel sells a model below cost this many times in a row; 0: never. Applies to channels with a purchase price.',
    },
  }),
  MarginStopEnabled: flag(false, {
    label: { zh: '禁用低于成本销售的模型', en: 'Stop models that sell below cost' },
    help: {
      zh: '达到上述次数时在该渠道禁用该模型；渠道没有其他模型时禁用渠道。之后只能由管理员重新允许。',
      en: 'After that many requests, on that channel; a channel without other models is disabled. Only an administrator can allow them again.',
    },
  }),
})
