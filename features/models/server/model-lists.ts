import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse, ownEntry } from '#server/core/json/json.ts'
import { isEmbeddingModel } from '#server/core/model-names.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import type {
  ClientDialect,
  ListedModel,
  ModelListDialect,
} from '#server/provider-kit/contract/client-dialect.ts'
import type { Registry } from '#server/providers/registry.ts'
import { requireUsable, usableModels } from '#server/relay/operations/usable-models.ts'
import type { LookupQuery } from '#server/relay/routes/routes.ts'
import type { RoutingDeps } from '#server/relay/routing/choose-route.ts'
import type { Caller, SettingsReader } from '#server/relay/types.ts'

interface ModelsDeps extends Pick<RoutingDeps, 'channels'> {
  readonly registry: Registry
  readonly settings: SettingsReader<'ModelOutputLimit'>
}

type ModelQuery = Pick<LookupQuery, 'caller' | 'client' | 'connection' | 'model'>

/** Lists the models that the caller may use: served by a channel of its group and allowed by its token. */
export async function listModels(
  { caller, client, connection }: ModelQuery,
  deps: ModelsDeps,
): Promise<Response> {
  const models = usableModels(caller, deps).map(name => toListedModel(name, caller, deps))
  return jsonTextResponse(
    JSON.stringify(getListDialect(client).writeList(models, connection.url.searchParams)),
  )
}

/** One of these models. Throws GatewayError `model_not_found` for any other. */
export async function getModel(
  { caller, client, model = '' }: ModelQuery,
  deps: ModelsDeps,
): Promise<Response> {
  requireUsable(model, caller, deps)
  return Response.json(getListDialect(client).writeModel(toListedModel(model, caller, deps)))
}

function getListDialect({ name, models }: ClientDialect): ModelListDialect {
  if (!models)
    throw new GatewayError('api_not_implemented', {
      zh: `${name} 接口没有模型列表`,
      en: `the ${name} API has no model list`,
    })
  return models
}

const UNKNOWN_OWNER = 'custom'

function toListedModel(id: string, { group }: Caller, deps: ModelsDeps): ListedModel {
  const known = findModel(id)
  const provider = deps.registry.all().find(({ models }) => models.includes(id))
  return {
    id,
    ownedBy: provider ? (provider.ownedBy ?? provider.name.toLowerCase()) : UNKNOWN_OWNER,
    isEmbedding: isEmbeddingModel(id),
    inputTokensMax: largestInput(id, group, deps),
    outputTokensMax: ownEntry(deps.settings.current().ModelOutputLimit, id),
    deprecatedOn: known?.deprecated,
    retiresOn: known?.retires,
  }
}

/** A longer input is rejected, here or by the provider. Undefined where neither has a limit that is known. */
function largestInput(id: string, group: string, { channels }: ModelsDeps): number | undefined {
  const limits = channels
    .current()
    .find(group, id)
    .map(channel => channel.limits.inputTokens ?? Number.POSITIVE_INFINITY)
  const largest = Math.min(Math.max(...limits), findModel(id)?.context_window ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(largest) ? largest : undefined
}
