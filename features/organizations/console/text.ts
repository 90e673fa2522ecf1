import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  role_member: '成员',
  role_billing: '财务',
  role_admin: '管理员',
  role_owner: '所有者',
  actingFor: '当前身份：{name}',
  choose: '切换组织',
  personal: '个人账户',
  choiceWithRole: '{name}（{role}）',
  disabled: '{name}（已禁用）',
  actFor: '进入',
  actForNamed: '进入“{name}”',
  none: '您尚未加入任何组织',
  noneText: '通过邀请链接加入，或在获得允许后从页面顶部创建组织。',
  open: '管理组织',
  create: '创建组织',
  createText: '您将成为组织的所有者。组织有自己的余额，由成员共用。',
  name: '组织名称',
  nameNeeded: '请输入组织名称',
  created: '已创建组织“{name}”',
}

const en: English<typeof zh> = {
  role_member: 'Member',
  role_billing: 'Billing',
  role_admin: 'Administrator',
  role_owner: 'Owner',
  actingFor: 'Acting for {name}',
  choose: 'Switch organisation',
  personal: 'Personal account',
  choiceWithRole: '{name} ({role})',
  disabled: '{name} (disabled)',
  actFor: 'Act for it',
  actForNamed: 'Act for {name}',
  none: 'You are in no organisation',
  noneText: 'Join one by its invitation link. Who may create one does so at the top of the page.',
  open: 'Manage organisation',
  create: 'Create organisation',
  createText: 'You become its owner. It has a balance of its own, which its members share.',
  name: 'Name of the organisation',
  nameNeeded: 'Enter a name',
  created: 'Organisation {name} created',
}

export const text = { zh, en }
export const useOrganizationText = () => useText(text)
