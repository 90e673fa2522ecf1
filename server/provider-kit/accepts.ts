import type { z } from 'zod'
import { findAmbiguousKey } from './body-fields.ts'
import { isObject, type JsonObject } from './json.ts'

type Accept = (value: unknown) => boolean
type Schema = z.core.$ZodType

/** One predicate for each schema of the program. */
const predicates = new WeakMap<Schema, Accept>()
/** The schema itself must decide. */
const unsure: Accept = () => false

/**
 * Whether a value certainly matches the schema and has no ambiguous keys where the schema describes an object. `false` means that the schema itself must decide, and say why. Request
 * bodies are checked this way first, because it allocates nothing, while zod copies every field that it parses: several
 * microseconds for a short chat. It reads zod's definitions; the property test beside it holds both to the same result.
 */
export const accepts = (schema: Schema, value: unknown): boolean => acceptOf(schema)(value)

function acceptOf(schema: Schema): Accept {
  const found = predicates.get(schema)
  if (found) return found
  predicates.set(schema, value => accepts(schema, value))
  const created = withChecks(definitionOf(schema))
  predicates.set(schema, created)
  return created
}

/** Every schema is a member of the union of zod's classes. */
export const definitionOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def
type Definition = ReturnType<typeof definitionOf>

/** Every check is a member of the union of zod's check classes. */
export const checkOf = (check: z.core.$ZodCheck<never>) => (check as z.core.$ZodChecks)._zod.def
type Check = ReturnType<typeof checkOf>

function withChecks(definition: Definition): Accept {
  const kind = kindOf(definition)
  const checks = (definition.checks ?? []).map(check => acceptOfCheck(checkOf(check)))
  if (checks.length === 0) return kind
  const holds = all(checks)
  return value => kind(value) && holds(value)
}

function kindOf(definition: Definition): Accept {
  switch (definition.type) {
    case 'string':
      return isPlain(definition) ? value => typeof value === 'string' : unsure
    case 'number':
      return numberOf(definition)
    case 'boolean':
      return isPlain(definition) ? value => typeof value === 'boolean' : unsure
    case 'enum':
      return isOneOf(Object.values(definition.entries))
    case 'literal':
      return isOneOf(definition.values)
    case 'unknown':
      return value => value !== undefined
    case 'optional':
      return either(value => value === undefined, acceptOf(definition.innerType))
    case 'nullable':
      return either(value => value === null, acceptOf(definition.innerType))
    case 'catch':
      return () => true
    case 'union':
      return definition.options.map(acceptOf).reduce(either)
    case 'array':
      return listOf(acceptOf(definition.element))
    case 'object':
      return objectOf(definition)
    default:
      return unsure
  }
}

/** Neither converts its input nor checks a format. */
const isPlain = (definition: object): boolean => !('coerce' in definition) && !('check' in definition)

function numberOf(definition: Definition): Accept {
  if (isPlain(definition)) return Number.isFinite
  return 'format' in definition && definition.format === 'safeint' ? Number.isSafeInteger : unsure
}

const isOneOf = (values: readonly unknown[]): Accept => {
  const allowed = new Set(values)
  return value => allowed.has(value)
}

const either =
  (first: Accept, second: Accept): Accept =>
  value =>
    first(value) || second(value)

const all =
  (conditions: readonly Accept[]): Accept =>
  value => {
    for (const condition of conditions) if (!condition(value)) return false
    return true
  }

const listOf =
  (element: Accept): Accept =>
  value => {
    if (!Array.isArray(value)) return false
    for (const entry of value) if (!element(entry)) return false
    return true
  }

/** Supports loose objects only. Iterates over the value's own fields, because a body has few of those that it may have. */
function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Accept {
  if (!catchall || definitionOf(catchall).type !== 'unknown') return unsure
  const fields = Object.entries(shape).map(([name, field]) => [name, acceptOf(field)] as const)
  const predicateOf = new Map(fields)
  let required: readonly string[] | undefined
  const hasRequired = (value: JsonObject): boolean => {
    required ??= fields.filter(([, accept]) => !accept(undefined)).map(([name]) => name)
    for (const name of required) if (!Object.hasOwn(value, name)) return false
    return true
  }
  return value => {
    if (!isObject(value) || !hasRequired(value)) return false
    let hasUnknown = false
    for (const name in value) {
      const accept = predicateOf.get(name)
      if (accept?.(value[name]) === false) return false
      hasUnknown ||= accept === undefined
    }
    return !hasUnknown || findAmbiguousKey(value, shape) === undefined
  }
}

function acceptOfCheck(check: Check): Accept {
  switch (check.check) {
    case 'min_length':
      return value => lengthOf(value) >= check.minimum
    case 'max_length':
      return value => lengthOf(value) <= check.maximum
    case 'greater_than':
      return value => Number(value) > Number(check.value) || (check.inclusive && value === check.value)
    case 'less_than':
      return value => Number(value) < Number(check.value) || (check.inclusive && value === check.value)
    default:
      return 'fn' in check && typeof check.fn === 'function' ? conditionOf(check.fn) : unsure
  }
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN

/** A refinement of our own. */
const conditionOf =
  (condition: CallableFunction): Accept =>
  value =>
    Reflect.apply(condition, undefined, [value]) === true
