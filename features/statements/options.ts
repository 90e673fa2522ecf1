import { inSection, lines } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

const LINES_MAX = 10
const LINE_CHARS_MAX = 200

const issuer = lines('', {
  order: 10,
  label: { zh: '账单开具方', en: 'Issuer of bills' },
  help: {
    zh: '名称和地址，每行一项，显示在账单抬头；留空则使用系统名称。',
    en: 'Name and address, a line each, at the head of bills. Empty: the name of the system.',
  },
})

export const options = inSection(SECTIONS.payment, {
  BillIssuer: {
    ...issuer,
    schema: issuer.schema.transform(all =>
      all.slice(0, LINES_MAX).map(line => line.slice(0, LINE_CHARS_MAX)),
    ),
  },
})
