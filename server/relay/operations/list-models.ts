import { GatewayError } from '../../core/errors.ts'
import type {
  ClientDialect,
  ListedModel,
  ModelListDialect,
} from '../../provider-kit/contract/client-dialect.ts'
import type { Registry } from '../../providers/registry.ts'
import type { RoutingDeps } from '../routing/choose-route.ts'
import type { Caller } from '../types.ts'

export interface ModelsDeps extends Pick<RoutingDeps, 'channels'> {
  readonly registry: Registry
}

export interface ModelQuery {
  readonly caller: Caller
  readonly client: ClientDialect
  /** The model that the path names. */
  readonly model?: string | undefined
}

/** Lists the models that the caller may use: those that its group's channels serve and its token allows. */
export async function listModels({ caller, client }: ModelQuery, deps: ModelsDeps): Promise<Response> {
  const models = usableModels(caller, deps).map(name => toListedModel(name, deps))
  return Response.json(getListDialect(client).writeList(models))
}

/** One of these models. Throws GatewayError `model_not_found` for any other. */
export async function getModel(
  { caller, client, model = '' }: ModelQuery,
  deps: ModelsDeps,
): Promise<Response> {
  if (!usableModels(caller, deps).includes(model))
    throw new GatewayError('model_not_found', {
      zh: `模型 ${model} 不存在或您无权使用`,
      en: `the model ${model} does not exist or you do not have access to it`,
    })
  return Response.json(getListDialect(client).writeModel(toListedModel(model, deps)))
}

function getListDialect({ name, models }: ClientDialect): ModelListDialect {
  if (!models)
    throw new GatewayError('api_not_implemented', {
      zh: `${name} 接口没有模型列表`,
      en: `the ${name} API has no model list`,
    })
  return models
}

/** The names of the models that the caller may use. */
export function usableModels(
  { group, token }: Caller,
  { channels }: Pick<ModelsDeps, 'channels'>,
): readonly string[] {
  const served = channels.current().listModels(group)
  const allowed = token?.models
  return allowed ? served.filter(name => allowed.has(name)) : served
}

const UNKNOWN_OWNER = 'custom'

function toListedModel(id: string, { registry }: ModelsDeps): ListedModel {
  const provider = registry.all().find(({ models }) => models.includes(id))
  return { id, ownedBy: provider ? (provider.ownedBy ?? provider.name.toLowerCase()) : UNKNOWN_OWNER }
}
