import type { z } from 'zod'
import { GatewayError } from '../core/errors.ts'
import { accepts } from './accepts.ts'
import { isObject } from './json.ts'

/** The longest model name that a request body may hold. */
export const MODEL_NAME_CHARS_MAX = 256
/** The highest output token limit that a request body may set. */
export const OUTPUT_TOKENS_MAX = 2 ** 30

/** Throws a GatewayError `invalid_request` for a request that the vendor cannot serve. */
export function invalidRequest(place: string, found: string, needed: string): never {
  throw new GatewayError('invalid_request', `${place}: found ${found}, needed ${needed}`)
}

const FOUND_CHARS_MAX = 60

/**
 * Throws a GatewayError `invalid_request` that names the first field that does not match the schema, with what was
 * found and needed.
 */
export function checkBody(schema: z.ZodType, json: unknown): void {
  if (accepts(schema, json)) return
  const checked = schema.safeParse(json)
  const issue = checked.success ? undefined : checked.error.issues[0]
  if (!issue) return
  const deepest = deepestIssue(issue)
  const place = formatPath(deepest.path)
  throw new GatewayError(
    'invalid_request',
    `${place}: found ${describeFound(valueAt(json, deepest.path))}, needed ${describeNeeded(deepest)}`,
  )
}

type Issue = z.core.$ZodIssue

/** In a union, the variant that matches furthest is the one the client meant. */
function deepestIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors
    .flatMap(errors => errors.slice(0, 1))
    .map(error => deepestIssue({ ...error, path: [...issue.path, ...error.path] }))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return inner && inner.path.length > issue.path.length ? inner : issue
}

function describeNeeded(issue: Issue): string {
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

function formatPath(path: Issue['path']): string {
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

function describeFound(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text
}

/** Puts the model name from the URL into the body. Throws a GatewayError `model_required` where neither names one. */
export function withModel(json: unknown, model: string | undefined): unknown {
  if (!isObject(json)) return json
  if (model !== undefined) return { ...json, model }
  if (json.model === undefined || json.model === null || json.model === '')
    throw new GatewayError('model_required', 'model: found nothing, needed the name of a model')
  return json
}

/** Adds a default model, which OpenAI's API allows for some operations. */
export const withDefaultModel = (body: unknown, model: string): unknown =>
  isObject(body) && (body.model === undefined || body.model === null || body.model === '')
    ? { ...body, model }
    : body
