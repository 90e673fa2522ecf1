import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { loadRoutes } from '#server/testing/open-test-app.ts'
import { PROJECT } from '../harness/program.ts'
import { filesOf } from './source.ts'

const CONTRACT = /^features\/[^/]+\/contract(\.ts$|\/)/

const declared = await endpointsOfTheContract()
const routed = await endpointsOfTheRoutes()

test('the contract declares each endpoint once', () => {
  expect(repeated(declared.map(nameOf))).toEqual([])
  expect(declared.length).toBeGreaterThan(0)
})

test('every endpoint has exactly one route', () => {
  expect(routed.map(nameOf).sort()).toEqual(declared.map(nameOf).sort())
})

test('routes bind the endpoint objects of the contract, not copies', () => {
  expect(routed.filter(endpoint => !declared.includes(endpoint)).map(nameOf)).toEqual([])
})

function nameOf({ method, path }: AnyEndpoint): string {
  return `${method} ${path.replace(/:\w+/g, ':').replace(/(.)\/$/, '$1')}`
}

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index)

async function endpointsOfTheContract(): Promise<readonly AnyEndpoint[]> {
  const paths = [...filesOf('contract'), ...filesOf('features').filter(path => CONTRACT.test(path))].filter(
    path => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const modules = await Promise.all(paths.map(path => import(join(PROJECT, path))))
  return modules.flatMap(module => Object.values(module)).filter(isEndpoint)
}

async function endpointsOfTheRoutes(): Promise<readonly AnyEndpoint[]> {
  return (await loadRoutes()).map(({ endpoint }) => endpoint)
}

function isEndpoint(value: unknown): value is AnyEndpoint {
  return (
    typeof value === 'object' &&
    value !== null &&
    'method' in value &&
    'path' in value &&
    'role' in value &&
    'reply' in value
  )
}
