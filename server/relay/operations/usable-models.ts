import { GatewayError } from '../../core/errors.ts'
import type { RoutingDeps } from '../routing/choose-route.ts'
import type { Caller } from '../types.ts'

export type UsableModelsDeps = Pick<RoutingDeps, 'channels'>

/** The names of the models that the caller may use. */
export function usableModels({ group, token }: Caller, { channels }: UsableModelsDeps): readonly string[] {
  const served = channels.current().listModels(group)
  const allowed = token?.models
  return allowed ? served.filter(name => allowed.has(name)) : served
}

/** Throws GatewayError `model_not_found` for a model that the caller may not use. */
export function requireUsable(model: string, caller: Caller, deps: UsableModelsDeps): void {
  if (usableModels(caller, deps).includes(model)) return
  throw new GatewayError('model_not_found', {
    zh: `模型 ${model} 不存在或您无权使用`,
    en: `the model ${model} does not exist or you do not have access to it`,
  })
}
