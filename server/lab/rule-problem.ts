import { outputLimit } from '../pricing/catalogue.ts'
import { type ChatRules, findBrokenRule, type RuledCall } from '../provider-kit/rules/chat-rules.ts'
import type { RequestProblem } from './operation.ts'

/** What the provider rejects by the rules that the gateway keeps to, so that the lab finds each path that forgets them. */
export function findRuleProblem(body: RuledCall['body'], rules: ChatRules): RequestProblem | undefined {
  const { model } = body
  const outputTokensMax = outputLimit(model)
  const broken = findBrokenRule(
    { body, model, isTranslated: true, ...(outputTokensMax !== undefined && { outputTokensMax }) },
    rules,
  )
  return broken === undefined ? undefined : { message: `The model does not take this value: ${broken}` }
}
