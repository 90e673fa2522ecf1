import { apiErrors } from '#server/core/api-error.ts'

const NOT_FOUND = 404
const TOO_MANY_REQUESTS = 429

export const deviceError = apiErrors(
  'device',
  {
    unknown_code: {
      zh: '设备码不存在、已过期或已处理，请在程序中重新登录',
      en: 'the code is unknown, has expired or was decided before; start the sign-in again in the program',
    },
    off: { zh: '管理员未启用设备码登录', en: 'signing in by device code is turned off' },
  },
  NOT_FOUND,
)

export const deviceThrottleError = apiErrors(
  'device',
  {
    too_often: {
      zh: '错误的设备码过多，请在 {seconds} 秒后重试',
      en: 'too many wrong codes; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)
