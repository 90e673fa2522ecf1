import { apiErrors } from '#server/core/api-error.ts'

export const organizationError = apiErrors('organization', {
  not_named: {
    zh: '请用请求头 X-Tollgate-Organization 指定组织',
    en: 'name the organisation in the header X-Tollgate-Organization',
  },
  may_not_create: { zh: '管理员未允许您创建组织', en: 'you may not create organisations here' },
  too_many: {
    zh: '每个用户最多拥有 {count} 个组织',
    en: 'a user owns at most {count} organisations',
  },
  name_taken: { zh: '无法使用该名称，请换一个', en: 'choose another name' },
  invitation_unknown: {
    zh: '邀请无效、已使用或已过期，请联系组织管理员',
    en: 'the invitation is not valid, was used or has expired; ask for a new one',
  },
  already_member: { zh: '您已是该组织的成员', en: 'you are already a member of this organisation' },
  unknown_member: { zh: '该成员不存在', en: 'there is no such member' },
  unknown_project: { zh: '该项目不存在', en: 'there is no such project' },
  unknown: { zh: '该组织不存在', en: 'there is no such organisation' },
  unknown_user: { zh: '该用户不存在', en: 'there is no such user' },
  project_closed: { zh: '该项目已结束', en: 'the project has ended' },
  only_owners: {
    zh: '只有所有者可以设置或修改所有者',
    en: 'only owners may make, change or remove owners',
  },
  last_owner: {
    zh: '组织至少需要一名所有者，请先指定另一名所有者',
    en: 'an organisation needs an owner: make somebody else an owner first',
  },
  last_owner_of: {
    zh: '该用户是组织“{name}”唯一的所有者，请先为其指定另一名所有者',
    en: 'the user is the only owner of the organisation {name}: make somebody else an owner first',
  },
  has_joined: { zh: '该成员已加入', en: 'the member has joined already' },
  too_many_members: {
    zh: '组织最多有 {count} 名成员',
    en: 'an organisation has at most {count} members',
  },
  too_many_projects: {
    zh: '组织最多有 {count} 个项目',
    en: 'an organisation has at most {count} projects',
  },
  has_money: {
    zh: '组织仍有余额或进行中的请求，无法删除',
    en: 'the organisation still has money or requests in progress, so it cannot be deleted',
  },
})
