import { errorMessage, GatewayError } from './errors.ts'

/** Deeper than any meaningful body. Code that walks a body recursively stays far from the end of the stack. */
export const JSON_DEPTH_MAX = 128

/**
 * Parses a request body. Throws GatewayError `invalid_json` for text that is not JSON, and `invalid_request` for JSON
 * nested deeper than `JSON_DEPTH_MAX`.
 */
export function parseJsonBody(text: string): unknown {
  const json = parse(text)
  if (hasMoreBracketsThan(JSON_DEPTH_MAX, text) && isDeeperThan(JSON_DEPTH_MAX, json))
    throw new GatewayError('invalid_request', `the body is nested deeper than ${JSON_DEPTH_MAX} levels`)
  return json
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError('invalid_json', `the body is not valid JSON: ${errorMessage(cause)}`, { cause })
  }
}

/** A cheap test that spares most bodies the walk: text with at most `count` opening brackets cannot be nested deeper. */
function hasMoreBracketsThan(count: number, text: string): boolean {
  let remaining = count
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0 && remaining >= 0; at = text.indexOf(bracket, at + 1))
      remaining -= 1
  return remaining < 0
}

/** Walks level by level instead of recursively, since the value may be nested a million levels deep. */
export function isDeeperThan(levelsMax: number, value: unknown): boolean {
  let level = isNested(value) ? [value] : []
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels === levelsMax) return true
    level = childrenOf(level)
  }
  return false
}

function childrenOf(level: readonly object[]): object[] {
  const children: object[] = []
  for (const entry of level)
    for (const value of Object.values(entry)) if (isNested(value)) children.push(value)
  return children
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Looks up a name from a request in a table. Inherited properties such as `constructor` are not entries. */
export const ownEntry = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
