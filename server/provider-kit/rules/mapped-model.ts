import type { AdapterCall, NativeAdapter } from '../contract/operation-adapter.ts'
import { isObject, type JsonObject } from '../json.ts'

/** A client's own body as the model takes it that its operator put in the place of the one it named. The same body where it fits. */
export type ToMappedBody = (
  body: JsonObject,
  call: Pick<AdapterCall<JsonObject>, 'model' | 'outputTokensMax'>,
) => JsonObject

/**
 * A native body is the client's word, but where the operator mapped the model, the client knows another one: what the mapped
 * model rejects is lowered or left out, as receipts state.
 */
export function forMappedModels(native: NativeAdapter, toMappedBody: ToMappedBody): NativeAdapter {
  const mapped = <Call extends AdapterCall<JsonObject>>(call: Call): JsonObject =>
    call.isMapped ? toMappedBody(call.body, call) : call.body
  return {
    ...native,
    adjustments: call => listChanges(call.body, mapped(call)),
    request: call => native.request({ ...call, body: mapped(call) }),
  }
}

/** What became of the fields of a body, in the words of receipts. Lists are not looked into. */
export function listChanges(before: JsonObject, after: JsonObject, parents = ''): readonly string[] {
  if (before === after) return []
  return Object.entries(before).flatMap(([name, from]) => {
    const to = after[name]
    if (to === from || (from ?? null) === null || Array.isArray(to)) return []
    return isObject(from) && isObject(to)
      ? listChanges(from, to, `${parents}${name}.`)
      : [to === undefined ? `${parents}${name} → –` : `${parents}${name}: ${from} → ${to}`]
  })
}

/** The object with a limit of tokens that is no higher than the model's, under whichever of these names it has one. */
export function withLimit(fields: JsonObject, names: readonly string[], max: number | undefined): JsonObject {
  const isAbove = (name: string): boolean => Number(fields[name]) > (max ?? Number.POSITIVE_INFINITY)
  const above = names.filter(isAbove)
  return above.length > 0 ? { ...fields, ...Object.fromEntries(above.map(name => [name, max])) } : fields
}
