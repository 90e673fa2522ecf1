import { asObject, type JsonObject } from '../json.ts'
import { type ToMappedBody, withLimit } from '../rules/mapped-model.ts'
import { getModelRules, type ModelRules, planThinking, withoutThinkingSuffix } from './thinking.ts'

/** Without sampling, thinking and an answer of which the mapped model is not capable. Other makers serve this format, too. */
export const toMappedBody: ToMappedBody = (body, { model, outputTokensMax }) => {
  if (!model.startsWith('claude')) return withLimit(body, ['max_tokens'], outputTokensMax)
  const rules = getModelRules(withoutThinkingSuffix(model))
  return withMappedThinking(
    withLimit(withMappedSampling(body, rules), ['max_tokens'], outputTokensMax),
    rules,
  )
}

function withMappedSampling(body: JsonObject, { takesSampling }: ModelRules): JsonObject {
  if (takesSampling || !['temperature', 'top_p', 'top_k'].some(field => field in body)) return body
  const { temperature, top_p, top_k, ...rest } = body
  return rest
}

/** Older models take a number of tokens for their thinking, later ones an effort, and the first none at all. */
function withMappedThinking(body: JsonObject, rules: ModelRules): JsonObject {
  if (rules.thinking !== 'adaptive') return withMappedBudget(withoutEffort(body), rules)
  return asObject(body.thinking).type === 'enabled' ? { ...body, thinking: { type: 'adaptive' } } : body
}

function withoutEffort(body: JsonObject): JsonObject {
  const { output_config, ...rest } = body
  const { effort, ...config } = asObject(output_config)
  if (effort === undefined) return body
  return Object.keys(config).length > 0 ? { ...rest, output_config: config } : rest
}

function withMappedBudget(body: JsonObject, rules: ModelRules): JsonObject {
  const { thinking, ...rest } = body
  const { type, budget_tokens: budget } = asObject(thinking)
  const maxTokens = Number(body.max_tokens)
  const fits = type === 'enabled' && rules.thinking === 'budget' && Number(budget) < maxTokens
  if (thinking === undefined || type === 'disabled' || fits) return body
  const plan = planThinking({ hasSuffix: true, effort: undefined, maxTokens }, rules)
  return plan ? { ...rest, thinking: plan.thinking, max_tokens: plan.maxTokens } : rest
}
