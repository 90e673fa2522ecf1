import { inSection, oneOf } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.quota, {
  OrganizationCreators: oneOf(
    {
      nobody: { zh: '不允许', en: 'Nobody' },
      admins: { zh: '管理员', en: 'Administrators' },
      everybody: { zh: '所有用户', en: 'Everybody' },
    },
    'nobody',
    {
      label: { zh: '谁可以创建组织', en: 'Who may create organisations' },
      help: {
        zh: '组织是由多名成员共用余额的账户，在页面顶部创建和切换。已有的组织不受影响。',
        en: 'An organisation is an account whose members share one balance. It is created and chosen at the top of every page. Those that exist are not affected.',
      },
    },
  ),
})
