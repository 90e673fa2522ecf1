import { z } from 'zod'
import { type BothLanguages, readStoredText, sameInBoth, toStoredText } from '../core/language.ts'
import { accepts, checkOf, definitionOf } from './accepts.ts'
import { findAmbiguousKey } from './body-fields.ts'
import { isObject, type JsonObject } from './json.ts'

type ProblemPath = readonly PropertyKey[]

/** Where a value deviates from a schema, and what is needed there. */
export interface Problem {
  readonly path: ProblemPath
  readonly needed: BothLanguages
}

/**
 * The first problem of a value, undefined when the schema accepts it. Follows the first part that is not accepted, because
 * zod would parse everything and create an issue for each of a hundred thousand invalid parts.
 */
export function findFirstProblem(
  schema: z.core.$ZodType,
  value: unknown,
  path: ProblemPath = [],
): Problem | undefined {
  if (accepts(schema, value)) return undefined
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
    case 'nullable':
      return findFirstProblem(definition.innerType, value, path)
    case 'array':
      if (Array.isArray(value)) return findInList(schema, definition, value, path)
      break
    case 'object':
      if (isObject(value)) return findInObject(schema, definition, value, path)
      break
    case 'union':
      return findInUnion(schema, definition, value, path)
  }
  return findByParsing(schema, value, path)
}

function findInList(
  schema: z.core.$ZodType,
  { element, checks = [] }: z.core.$ZodArrayDef,
  list: readonly unknown[],
  path: ProblemPath,
): Problem | undefined {
  for (const check of checks) {
    const needed = describeLength(check, list.length)
    if (needed !== undefined) return { path, needed }
  }
  for (const [index, entry] of list.entries()) {
    const problem = findFirstProblem(element, entry, [...path, index])
    if (problem) return problem
  }
  return findByParsing(schema, list, path)
}

/** The required length of a list. */
function describeLength(check: z.core.$ZodCheck<never>, length: number): BothLanguages | undefined {
  const definition = checkOf(check)
  if (definition.check === 'max_length' && length > definition.maximum) return atMost(definition.maximum)
  return definition.check === 'min_length' && length < definition.minimum
    ? atLeast(definition.minimum)
    : undefined
}

function findInObject(
  schema: z.core.$ZodType,
  { shape }: z.core.$ZodObjectDef,
  value: JsonObject,
  path: ProblemPath,
): Problem | undefined {
  for (const [name, field] of Object.entries(shape)) {
    const problem = findFirstProblem(field, value[name], [...path, name])
    if (problem) return problem
  }
  const key = findAmbiguousKey(value, shape)
  return key === undefined
    ? findByParsing(schema, value, path)
    : { path: [...path, key], needed: DISTINCT_KEY }
}

/** The variant that matches furthest is the one the client meant, or the only one of the value's type. */
function findInUnion(
  schema: z.core.$ZodType,
  { options }: z.core.$ZodUnionDef,
  value: unknown,
  path: ProblemPath,
): Problem | undefined {
  let furthest: Problem | undefined
  for (const option of options) {
    const problem = findFirstProblem(option, value, path)
    if (!problem) return undefined
    if (problem.path.length > (furthest ?? { path }).path.length) furthest = problem
  }
  const [variant, another] = options.filter(option => hasTypeOf(value, option))
  if (!furthest && variant && !another) return findFirstProblem(variant, value, path)
  return furthest ?? findByParsing(schema, undefined, path)
}

function hasTypeOf(value: unknown, schema: z.core.$ZodType): boolean {
  const { type } = definitionOf(schema)
  return type === (Array.isArray(value) ? 'array' : typeof value)
}

/** For schemas without parts, and for checks of a whole list or object. */
function findByParsing(schema: z.core.$ZodType, value: unknown, path: ProblemPath): Problem | undefined {
  const issue = z.safeParse(schema, value).error?.issues[0]
  return issue && { path: [...path, ...issue.path], needed: describeNeeded(issue) }
}

const atMost = (maximum: number | bigint): BothLanguages => ({
  zh: `不超过 ${maximum}`,
  en: `at most ${maximum}`,
})
const atLeast = (minimum: number | bigint): BothLanguages => ({
  zh: `不小于 ${minimum}`,
  en: `at least ${minimum}`,
})
const DISTINCT_KEY: BothLanguages = {
  zh: '与其他键不止大小写不同的键',
  en: 'a key that differs from others by more than case',
}

/** The types of JSON. */
const TYPES: Readonly<Record<string, BothLanguages>> = {
  string: { zh: '字符串', en: 'string' },
  number: { zh: '数字', en: 'number' },
  int: { zh: '整数', en: 'int' },
  boolean: { zh: '布尔值', en: 'boolean' },
  array: { zh: '数组', en: 'array' },
  object: { zh: '对象', en: 'object' },
  record: { zh: '对象', en: 'object' },
}

function describeNeeded(issue: z.core.$ZodIssue): BothLanguages {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? sameInBoth(issue.expected)
    case 'invalid_value': {
      const values = issue.values.map(value => JSON.stringify(value))
      return { zh: `以下之一：${values.join('、')}`, en: `one of ${values.join(', ')}` }
    }
    case 'too_big':
      return atMost(issue.maximum)
    case 'too_small':
      return atLeast(issue.minimum)
    default:
      return readExpected(issue.message)
  }
}

/** The expectation of a schema, for the `error` of a zod type, whose messages are plain texts. */
export const expected = (text: BothLanguages): string => toStoredText(text)

/** Reads the message of an issue. Zod's own messages exist in English only. */
function readExpected(message: string): BothLanguages {
  const zh = readStoredText(message, 'zh')
  return { zh: zh === message ? '有效的值' : zh, en: readStoredText(message, 'en') }
}
