import { GatewayError } from '../../core/errors.ts'
import type { ClientDialect, ListedModel, ModelListDialect } from '../../provider-kit/client-dialect.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Caller } from '../request/caller.ts'

/** The models this caller may ask for: those its group's channels serve, within the token's own list. */
export function listModels(caller: Caller, client: ClientDialect, gateway: RelayContext): Response {
  const models = usableModels(caller, gateway).map(name => listed(name, gateway))
  return Response.json(writerOf(client).writeList(models))
}

/** One of them. Throws GatewayError `model_not_found` for any other. */
export function getModel(name: string, caller: Caller, client: ClientDialect, gateway: RelayContext): Response {
  if (!usableModels(caller, gateway).includes(name))
    throw new GatewayError('model_not_found', `the model ${name} does not exist or is not open to you`)
  return Response.json(writerOf(client).writeModel(listed(name, gateway)))
}

function writerOf({ name, models }: ClientDialect): ModelListDialect {
  if (!models) throw new GatewayError('api_not_implemented', `the dialect ${name} has no model list`)
  return models
}

function usableModels({ group, token }: Caller, { channels }: RelayContext): readonly string[] {
  const served = channels.current().modelsOf(group)
  const limits = token?.models
  return limits ? served.filter(name => limits.has(name)) : served
}

const UNKNOWN_OWNER = 'custom'

function listed(id: string, { registry }: RelayContext): ListedModel {
  const provider = registry.all().find(({ models }) => models.includes(id))
  return { id, ownedBy: provider ? (provider.ownedBy ?? provider.name.toLowerCase()) : UNKNOWN_OWNER }
}
