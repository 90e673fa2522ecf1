import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'
import models from './models.json'

export const provider = defineProvider({
  type: 18,
  name: 'Xunfei Spark',
  nameZh: '讯飞星火认知',
  baseUrl: 'wss://spark-api.xf-yun.com',
  models,
  ownedBy: 'xunfei',
  keyHint: 'APPID|APISecret|APIKey',
  form: {
    other: { label: { zh: '版本', en: 'Version' }, placeholder: 'v2.1', defaultValue: 'v2.1' },
    notice: {
      zh: '模型名中的版本（如 SparkDesk-v3.5）优先于此处的版本。密钥不含竖线时，将作为 HTTP 接口的 APIPassword 使用。',
      en: 'A version in the model name, as in SparkDesk-v3.5, takes precedence over this one. A key without vertical bars is used as the APIPassword of the HTTP API.',
    },
  },
  chat,
})
