import { expect, test } from 'bun:test'
import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { urlOf } from './call.ts'

const one = endpoint({
  method: 'GET',
  path: '/api/thing/:id/',
  role: 'user',
  summary: 'One thing',
  params: z.object({ id: z.number() }),
  query: z.object({ q: z.string(), p: z.number() }),
})

test('fills names in the path and escapes them', () => {
  expect(urlOf(one, { params: { id: 7 } })).toBe('/api/thing/7/')
  expect(urlOf(one, { params: { id: 'a/b' } })).toBe('/api/thing/a%2Fb/')
})

test('leaves empty and undefined parts of the query out, but not zero', () => {
  expect(urlOf(one, { params: { id: 7 }, query: { q: '', p: 0, x: undefined } })).toBe('/api/thing/7/?p=0')
})
