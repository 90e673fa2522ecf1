import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLab } from './open-lab.ts'

/** Sends one request to a new lab: POST with a body, GET without. */
export function fetchFromLab(
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Response> {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  return createLab().fetch(new Request(`http://lab.test${path}`, init))
}

/** Reads a recorded provider response: `fixtures/NAME` in the provider's folder. */
export const readRecorded = (provider: string, name: string): string =>
  readFileSync(join(import.meta.dir, provider, 'fixtures', name), 'utf8')

/** Parses an event stream. Names are empty where events have none; payloads are JSON or text. */
export function parseEvents(stream: string): readonly { readonly name: string; readonly payload: unknown }[] {
  return stream
    .split(/\r?\n\r?\n/)
    .filter(block => block.includes('data:'))
    .map(block => {
      const lines = block.split(/\r?\n/)
      const field = (name: string) =>
        lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      return { name: field('event'), payload: parsePayload(field('data')) }
    })
}

function parsePayload(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Lists every path of a JSON value with its type. The elements of an array share one path. */
export function describeShape(value: unknown, path = ''): ReadonlySet<string> {
  if (value === null || typeof value !== 'object')
    return new Set([`${path}: ${value === null ? 'null' : typeof value}`])
  const members = Array.isArray(value)
    ? value.map(item => describeShape(item, `${path}[]`))
    : Object.entries(value).map(([name, member]) => describeShape(member, `${path}.${name}`))
  return new Set(members.flatMap(member => [...member]))
}

/** Lists the paths and types that only one of two values has, except matches of `mayDiffer`. */
export function shapeDifference(
  lab: unknown,
  recorded: unknown,
  mayDiffer: readonly RegExp[] = [],
): readonly string[] {
  const [labShape, recordedShape] = [describeShape(lab), describeShape(recorded)]
  const extra = [...labShape].filter(entry => !recordedShape.has(entry)).map(entry => `extra ${entry}`)
  const missing = [...recordedShape].filter(entry => !labShape.has(entry)).map(entry => `missing ${entry}`)
  return [...extra, ...missing].filter(entry => !mayDiffer.some(pattern => pattern.test(entry)))
}
