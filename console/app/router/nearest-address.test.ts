import { expect, test } from 'bun:test'
import { nearestAddress } from './nearest-address.ts'

const KNOWN = ['/', '/token', '/topup', '/channel', '/log', '/user']

test('a plural, a slip and another case lead to the page that was meant', () => {
  expect(['/tokens', '/chanel/edit', '/TOPUP', '/logs'].map(path => nearestAddress(path, KNOWN))).toEqual([
    '/token',
    '/channel',
    '/topup',
    '/log',
  ])
})

test('another word leads nowhere', () => {
  expect(['/no/such/page', '/wp-admin', '/lx', '/'].map(path => nearestAddress(path, KNOWN))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
