import type { z } from 'zod'
import { GatewayError } from '../core/errors.ts'
import { isObject } from './json.ts'

/** The longest model name that a request body may hold. */
export const MODEL_NAME_CHARS_MAX = 256
/** The highest output token limit that a request body may set. */
export const OUTPUT_TOKENS_MAX = 2 ** 30

/** Throws a GatewayError `invalid_request`: for what a client asks that the vendor cannot be asked. */
export function invalidRequest(place: string, found: string, needed: string): never {
  throw new GatewayError('invalid_request', `${place}: found ${found}, needed ${needed}`)
}

const FOUND_CHARS_MAX = 60

/** Throws a GatewayError `invalid_request` that names the first place where the body is not what it must be. */
export function checkBody(schema: z.ZodType, json: unknown): void {
  const checked = schema.safeParse(json)
  const issue = checked.success ? undefined : checked.error.issues[0]
  if (!issue) return
  const deepest = deepestIssue(issue)
  const place = placeOf(deepest.path)
  throw new GatewayError(
    'invalid_request',
    `${place}: found ${found(valueAt(json, deepest.path))}, needed ${needed(deepest)}`,
  )
}

type Issue = z.core.$ZodIssue

/** Where several shapes are allowed, the one that fits furthest is what the client meant. */
function deepestIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors
    .flatMap(errors => errors.slice(0, 1))
    .map(error => deepestIssue({ ...error, path: [...issue.path, ...error.path] }))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return inner && inner.path.length > issue.path.length ? inner : issue
}

function needed(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.expected}`
    case 'invalid_value':
      return `one of ${issue.values.map(value => JSON.stringify(value)).join(', ')}`
    case 'too_big':
      return `at most ${issue.maximum}`
    case 'too_small':
      return `at least ${issue.minimum}`
    default:
      return issue.message
  }
}

function placeOf(path: Issue['path']): string {
  const text = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the body'
}

function valueAt(json: unknown, path: Issue['path']): unknown {
  let value = json
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function found(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text
}

/** Puts a name from the address into the body. Throws a GatewayError `model_required` where there is none at all. */
export function withModel(json: unknown, model: string | undefined): unknown {
  if (!isObject(json)) return json
  if (model !== undefined) return { ...json, model }
  if (json.model === undefined || json.model === null || json.model === '')
    throw new GatewayError('model_required', 'model: found nothing, needed the name of a model')
  return json
}

/** OpenAI lets clients leave the model out of some calls. */
export const withDefaultModel = (body: unknown, model: string): unknown =>
  isObject(body) && (body.model === undefined || body.model === null || body.model === '')
    ? { ...body, model }
    : body
