import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray, asCount, asObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'

/** Applications ("bots") may give usage only by the models that they called. Source: volcengine.com/docs/82379/1526787 */
export const readArkUsage = (json: JsonObject): Usage | undefined =>
  readOpenaiUsage(json.usage) ?? addModels(asObject(json.bot_usage))

function addModels({ model_usage }: JsonObject): Usage | undefined {
  const models = asArray(model_usage).map(asObject)
  const sum = (field: string): number => models.reduce((total, model) => total + asCount(model[field]), 0)
  return usageFromTotals({ prompt: sum('prompt_tokens'), completion: sum('completion_tokens') })
}
