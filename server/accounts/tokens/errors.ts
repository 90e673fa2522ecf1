import { apiErrors } from '../../core/api-error.ts'

export const tokenError = apiErrors('token', {
  unknown: { zh: '令牌不存在', en: 'there is no such token' },
  key_not_found: {
    zh: '没有使用此密钥的令牌，请粘贴完整密钥；已删除令牌的密钥无效',
    en: 'no token has this key; paste the whole key. Keys of deleted tokens do nothing',
  },
  unknown_group: {
    zh: '分组 {group} 不存在或无权使用',
    en: 'the group {group} does not exist or you may not use it',
  },
  too_many: { zh: '每个用户最多 {most} 个令牌', en: 'an account can have at most {most} tokens' },
  unknown_status: {
    zh: '状态只能设为 1（启用）或 2（禁用）',
    en: 'the status must be 1 (enabled) or 2 (disabled)',
  },
  key_unknown: {
    zh: '该令牌从其他网关导入，仅保存了密钥的哈希，无法查看或复制密钥',
    en: 'the token was imported with nothing but a hash of its key, so the key cannot be shown',
  },
  negative_quota: { zh: '令牌额度不能为负数', en: 'the quota of a token cannot be below zero' },
  expired: {
    zh: '令牌已过期，无法启用，请先修改令牌过期时间，或设置为永不过期',
    en: 'the token has expired; change its expiry, or set it to never, before you enable it',
  },
  exhausted: {
    zh: '令牌额度已用尽，无法启用，请先修改令牌剩余额度，或设置为无限额度',
    en: 'the quota of the token is used up; change it, or set it to unlimited, before you enable the token',
  },
})
