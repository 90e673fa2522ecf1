import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway } from '../harness/start-gateway.ts'
import type { Json } from './normalise.ts'
import { openRecording } from './recorded.ts'

type JsonObject = { readonly [name: string]: Json }

interface Document {
  readonly info: JsonObject
  readonly paths: JsonObject
  readonly components: { readonly [kind: string]: JsonObject }
}

let document: Document
const recording = openRecording('openapi')

beforeAll(async () => {
  await using gateway = await startGateway()
  const response = await fetch(`${gateway.url}/api/openapi.json`)
  document = await response.json()
})

afterAll(() => recording.close())

/** The same value with the names of all objects in order: folders that register endpoints may be renamed. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, part]) => [name, canonical(part)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const sorted = <Part>(parts: Readonly<Record<string, Part>>): readonly (readonly [string, Part])[] =>
  Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** One by one, so that a difference names its path. */
test('the document has the recorded paths', () => {
  for (const [path, operations] of sorted(document.paths)) recording.check(path, canonical(operations))
})

test('the document has the recorded components', () => {
  for (const [kind, parts] of sorted(document.components))
    for (const [name, part] of sorted(parts)) recording.check(`${kind} ${name}`, canonical(part))
})

test('the complete document is the recorded one, its version aside', () => {
  const { info, paths, components, ...parts } = document
  expect(info.version).toBeString()
  const text = JSON.stringify(canonical({ ...parts, paths, components, info: { ...info, version: '' } }))
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  recording.check('document', { characters: text.length, sha256 })
})
