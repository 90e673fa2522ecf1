import { GatewayError } from '../core/errors.ts'
import { isObject } from './json.ts'

/** Puts a name from the address into the body. Throws a GatewayError `model_required` where there is none at all. */
export function withModel(json: unknown, model: string | undefined): unknown {
  if (!isObject(json)) return json
  if (model !== undefined) return { ...json, model }
  if (json.model === undefined || json.model === null || json.model === '')
    throw new GatewayError('model_required', 'model: found nothing, needed the name of a model')
  return json
}
