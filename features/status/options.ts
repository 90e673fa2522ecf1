import { z } from 'zod'
import { localizedError } from '#contract/fields.ts'
import { inSection, text } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

const CHARS_MAX = 500
const CONTACT = /^(https:\/\/[^\s<>"]+|[^\s<>"@:]+@[^\s<>"@:]+)$/

const contact = {
  ...text('', {
    label: { zh: '安全问题联系方式', en: 'Contact for security reports' },
    help: {
      zh: '邮箱或 https 地址，公布在 /.well-known/security.txt；留空则不公布。',
      en: 'An email or https address, published at /.well-known/security.txt. Empty: nothing is published.',
    },
  }),
  schema: z
    .string()
    .max(CHARS_MAX)
    .transform(value => value.trim())
    .refine(
      value => value === '' || CONTACT.test(value),
      localizedError('应为邮箱或 https 地址', 'an email or https address is needed'),
    ),
}

export const options = inSection(SECTIONS.server, { SecurityContact: contact })
