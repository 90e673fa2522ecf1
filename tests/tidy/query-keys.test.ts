import { expect, test } from 'bun:test'
import { readSources, type Source } from './source.ts'

const CONSOLE = /^(console|features\/[^/]+\/console)\//
const TEST = /\.test\.tsx?$/
const TEXT = /const (\w+) = '([^']+)'/g
const QUERY = /queryKey: \[([^\]]*)\],\s+queryFn(?:(?!queryKey)[\s\S])*?call\((?:\w+\.)?(\w+)/g

/** The endpoints that queries of the console call, by the names in their keys and how many parts these have. */
function endpointsByKey(sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> {
  const endpoints = new Map<string, Set<string>>()
  for (const { tree } of sources) {
    const texts = new Map([...tree.text.matchAll(TEXT)].map(([, name, text]) => [name, `'${text}'`]))
    for (const [, parts = '', endpoint = ''] of tree.text.matchAll(QUERY)) {
      const names = parts.split(',').map(part => texts.get(part.trim()) ?? part.trim())
      const key = names.map(name => (name.startsWith("'") ? name : '*')).join(' ')
      endpoints.set(key, (endpoints.get(key) ?? new Set()).add(endpoint))
    }
  }
  return endpoints
}

test('a key of the query cache names the data of one endpoint', () => {
  const sources = readSources().filter(({ path }) => CONSOLE.test(path) && !TEST.test(path))
  const found = endpointsByKey(sources)
  expect(found.size).toBeGreaterThan(20)
  expect([...found].filter(([, endpoints]) => endpoints.size > 1)).toEqual([])
})
