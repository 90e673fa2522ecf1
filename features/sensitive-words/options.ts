import { flag, inSection, lines, type OptionSection } from '#contract/options/define-option.ts'

const SECTION: OptionSection = {
  id: 'sensitive',
  tab: 'operation',
  order: 30,
  title: { zh: '屏蔽词过滤', en: 'Sensitive words' },
  help: {
    zh: '包含屏蔽词的请求会被拒绝，不会产生费用。',
    en: 'Requests that contain one of the words are rejected at no charge.',
  },
}

export const options = inSection(SECTION, {
  CheckSensitiveEnabled: flag(true, { label: { zh: '启用屏蔽词过滤', en: 'Filter sensitive words' } }),
  CheckSensitiveOnPromptEnabled: flag(true, { label: { zh: '检查提示词', en: 'Check prompts' } }),
  SensitiveWords: lines('test_sensitive', {
    label: { zh: '屏蔽词列表', en: 'Sensitive words' },
    help: { zh: '一行一个屏蔽词。', en: 'One word per line.' },
  }),
})
