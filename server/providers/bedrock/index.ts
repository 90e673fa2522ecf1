import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, native } from './chat.ts'

export const provider = defineProvider({
  type: 33,
  name: 'AWS Claude',
  popularity: 'popular',
  genAiName: 'aws.bedrock',
  baseUrl: '',
  models: [
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-1-20250805',
    'claude-opus-4-20250514',
    'claude-sonnet-4-20250514',
    'claude-instant-1.2',
    'claude-2.0',
    'claude-2.1',
    'claude-3-sonnet-20240229',
    'claude-3-opus-20240229',
    'claude-3-haiku-20240307',
    'claude-3-5-haiku-20241022',
    'claude-3-5-sonnet-20240620',
    'claude-3-5-sonnet-20241022',
    'claude-3-7-sonnet-20250219',
  ],
  ownedBy: 'aws',
  keyHint: 'Ak|Sk|Region',
  form: {
    notice: {
      zh: '较新的模型按区域自动使用推理配置文件（us.、eu.、apac.、global.）。如需使用其他配置文件或 ARN，请使用模型映射。API 地址留空时按区域访问。',
      en: "Newer models use the inference profile of the region (us., eu., apac., global.). Use model mapping for another profile or an ARN. An empty base URL means the region's own endpoint.",
    },
  },
  chat,
  native: { anthropic: native },
})
