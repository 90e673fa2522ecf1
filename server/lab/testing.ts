import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLab } from './open-lab.ts'

/** Asks a fresh lab and gives its answer. */
export function askLab(
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Response> {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  return createLab().fetch(new Request(`http://lab.test${path}`, init))
}

/** A recorded answer of a vendor: `fixtures/NAME` in the vendor's folder. */
export const readRecorded = (vendor: string, name: string): string =>
  readFileSync(join(import.meta.dir, vendor, 'fixtures', name), 'utf8')

/** The events of a stream: the event's name where it has one, and the payload as JSON or text. */
export function eventsOf(stream: string): readonly { readonly name: string; readonly payload: unknown }[] {
  return stream
    .split(/\r?\n\r?\n/)
    .filter(block => block.includes('data:'))
    .map(block => {
      const lines = block.split(/\r?\n/)
      const field = (name: string) =>
        lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      return { name: field('event'), payload: jsonOrText(field('data')) }
    })
}

function jsonOrText(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Every path of a JSON value with the type of what stands there; the elements of a list share one path. */
export function shapeOf(value: unknown, path = ''): ReadonlySet<string> {
  if (value === null || typeof value !== 'object')
    return new Set([`${path}: ${value === null ? 'null' : typeof value}`])
  const members = Array.isArray(value)
    ? value.map(item => shapeOf(item, `${path}[]`))
    : Object.entries(value).map(([name, member]) => shapeOf(member, `${path}.${name}`))
  return new Set(members.flatMap(member => [...member]))
}

/** What a shape has that the recorded one lacks, and the other way round, but for paths that may differ. */
export function shapeDifference(
  lab: unknown,
  recorded: unknown,
  mayDiffer: readonly RegExp[] = [],
): readonly string[] {
  const [ours, theirs] = [shapeOf(lab), shapeOf(recorded)]
  const extra = [...ours].filter(entry => !theirs.has(entry)).map(entry => `extra ${entry}`)
  const missing = [...theirs].filter(entry => !ours.has(entry)).map(entry => `missing ${entry}`)
  return [...extra, ...missing].filter(entry => !mayDiffer.some(pattern => pattern.test(entry)))
}
