import { inSection, quota } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

/** Ten dollars. */
const THRESHOLD = 5_000_000

export const options = inSection(SECTIONS.monitoring, {
  UsageSpikeThreshold: quota(THRESHOLD, {
    label: { zh: '用量突增的提醒金额', en: 'Alarm of usage spikes' },
    help: {
      zh: '用户一小时内的消费达到该金额，且达到前一天每小时平均值的五倍时，提醒管理员；0 表示不提醒。',
      en: 'Operators are told of a user who spends this much within an hour, and five times a mean hour of the day before; 0: never.',
    },
  }),
})
