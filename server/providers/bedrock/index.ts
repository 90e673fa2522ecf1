import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, native } from './chat.ts'
import models from './models.json'

export const provider = defineProvider({
  type: 33,
  name: 'AWS Claude',
  popularity: 'popular',
  genAiName: 'aws.bedrock',
  baseUrl: '',
  models,
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
