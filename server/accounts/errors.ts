import { apiErrors } from '../core/api-error.ts'

export const userError = apiErrors('user', {
  unknown: { zh: '用户不存在', en: 'there is no such user' },
  no_permission: {
    zh: '无权查看或管理同级或更高级的用户',
    en: 'you cannot view or manage users of the same or a higher role',
  },
  name_taken: { zh: '用户名已存在或已注销', en: 'the username is taken' },
  confirm_password: {
    zh: '登录时间较久，请提供当前密码（original_password）',
    en: 'the sign-in is not recent; provide the current password (original_password)',
  },
  wrong_password: { zh: '当前密码错误', en: 'the current password is wrong' },
  role_too_high: {
    zh: '无法创建或设置角色不低于自己的用户',
    en: 'the role must be lower than your own',
  },
  unknown_group: { zh: '分组 {group} 不存在', en: 'there is no group {group}' },
  negative_quota: { zh: '用户额度不能为负数', en: 'a balance cannot be set below zero' },
  deregistered: { zh: '用户已注销', en: 'the user was deleted' },
  is_organization: {
    zh: '组织账户不能登录，也不能成为管理员',
    en: 'nobody signs in to an organisation, and it cannot become an administrator',
  },
  root_stays: {
    zh: '超级管理员不能被降级、禁用或删除',
    en: 'super administrators cannot be demoted, disabled or deleted',
  },
  only_root_promotes: {
    zh: '普通管理员无法提升其他用户为管理员',
    en: 'only super administrators can promote users to administrators',
  },
  already_admin: { zh: '该用户已经是管理员', en: 'the user is already an administrator' },
  already_user: { zh: '该用户已经是普通用户', en: 'the user is already an ordinary user' },
  not_to_enable: {
    zh: '该状态的用户无法启用',
    en: 'a user of this status cannot be enabled',
  },
  wrong_name: {
    zh: '输入的用户名与当前用户名不一致',
    en: 'the name you entered is not your username',
  },
})
