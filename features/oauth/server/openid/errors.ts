import { apiErrors } from '#server/core/api-error.ts'

export const openIdError = apiErrors('openid', {
  unknown: { zh: '登录方式不存在或未启用', en: 'this sign-in method does not exist or is turned off' },
  slug_taken: { zh: '该标识已被使用', en: 'this slug is taken' },
  too_many: { zh: '最多可添加 {max} 个提供方', en: 'there are {max} providers already, which is the limit' },
  no_address: {
    zh: '请先在系统设置中填写服务器地址',
    en: 'set the server address in the settings first',
  },
  not_discovered: {
    zh: '无法读取 {issuer} 的 OpenID 配置：{reason}',
    en: 'the OpenID configuration of {issuer} cannot be read: {reason}',
  },
  in_use: {
    zh: '已有用户使用该提供方，不能更改 Issuer 或 Client ID，请另行添加提供方',
    en: 'users have signed in with this provider, so issuer and client ID stay; add another provider instead',
  },
  rejected: {
    zh: '{provider} 的登录响应未通过校验，请重试',
    en: 'the sign-in of {provider} could not be verified; try again',
  },
  domain: {
    zh: '您的邮箱不在 {provider} 允许的域名内，或尚未验证',
    en: 'your email address is not verified or not in a domain that may sign in with {provider}',
  },
  groups: {
    zh: '您不属于可以通过 {provider} 登录的用户组',
    en: 'you are in none of the groups that may sign in with {provider}',
  },
  not_invited: {
    zh: '该 {provider} 账户尚未绑定用户，请联系管理员获取邀请',
    en: 'no user has this {provider} account; contact the administrator for an invitation',
  },
})
