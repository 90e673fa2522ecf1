import { GatewayError, messageOf } from './errors.ts'

/** Nothing that means something is deeper; what goes through a body by recursion stays far from the stack's end. */
export const JSON_LEVELS_MAX = 128

/** Parses a body. Throws GatewayError `invalid_json` for what is none, `invalid_request` for what is nested too deeply. */
export function readJson(text: string): unknown {
  const json = parse(text)
  if (opensMoreThan(JSON_LEVELS_MAX, text) && isDeeperThan(JSON_LEVELS_MAX, json))
    throw new GatewayError('invalid_request', `the body is nested deeper than ${JSON_LEVELS_MAX} levels`)
  return json
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError('invalid_json', `the body is not valid JSON: ${messageOf(cause)}`, { cause })
  }
}

/** Whether the text has more opening brackets than so many: with fewer it is not deeper, wherever they stand. */
function opensMoreThan(count: number, text: string): boolean {
  let left = count
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1
  return left < 0
}

/** Level by level, without recursion. */
export function isDeeperThan(levelsMax: number, value: unknown): boolean {
  let level = isNested(value) ? [value] : []
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels === levelsMax) return true
    level = nestedIn(level)
  }
  return false
}

function nestedIn(level: readonly object[]): object[] {
  const nested: object[] = []
  for (const entry of level) for (const value of Object.values(entry)) if (isNested(value)) nested.push(value)
  return nested
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
