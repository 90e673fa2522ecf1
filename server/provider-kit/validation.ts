import type { z } from 'zod'
import { GatewayError } from '../core/errors.ts'
import { findFirstProblem, type Problem } from './first-problem.ts'
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
  const problem = findFirstProblem(schema, json)
  if (!problem) return
  const { path, needed } = problem
  throw new GatewayError(
    'invalid_request',
    `${formatPath(path)}: found ${describeFound(valueAt(json, path))}, needed ${needed}`,
  )
}

function formatPath(path: Problem['path']): string {
  const text = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the body'
}

function valueAt(json: unknown, path: Problem['path']): unknown {
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
