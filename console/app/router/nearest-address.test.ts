import { expect, test } from 'bun:test'
import { closestPath } from './nearest-address.ts'

const KNOWN = ['/', '/token', '/topup', '/channel', '/log', '/user']

test('finds the page for plurals, typos and another case', () => {
  expect(['/tokens', '/chanel/edit', '/TOPUP', '/logs'].map(path => closestPath(path, KNOWN))).toEqual([
    '/token',
    '/channel',
    '/topup',
    '/log',
  ])
})

test('finds nothing for another word', () => {
  expect(['/no/such/page', '/wp-admin', '/lx', '/'].map(path => closestPath(path, KNOWN))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
