import { inSection, integer, UNITS } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.deviceSignIn, {
  DeviceTokenMinutes: integer(480, [10, 43_200], {
    label: { zh: '程序令牌有效期', en: 'Lifetime of the token of a program' },
    help: {
      zh: '程序在使用期间自动续期；超过 30 天未使用时须重新登录。',
      en: 'Programs renew their token while they are used. After 30 days without use they sign in again.',
    },
    unit: UNITS.minutes,
  }),
})
