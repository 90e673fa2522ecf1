import { expect, test } from 'bun:test'
import { actionsFor, mayEdit, roleOf, standingOf } from './standing.ts'

const user = { id: 5, role: 1, status: 1, DeletedAt: null }
const root = { id: 1, role: 100 }
const admin = { id: 2, role: 10 }

test('only the super administrator promotes and demotes', () => {
  expect(actionsFor(root, user)).toEqual(['promote', 'disable', 'delete'])
  expect(actionsFor(root, { ...user, role: 10 })).toEqual(['demote', 'disable', 'delete'])
  expect(actionsFor(admin, user)).toEqual(['disable', 'delete'])
})

test('equals and betters are not managed, nor oneself, nor any super administrator', () => {
  expect(actionsFor(admin, { ...user, role: 10 })).toEqual([])
  expect(mayEdit(admin, { ...user, role: 10 })).toBe(false)
  expect(actionsFor(root, { ...user, id: 1, role: 100 })).toEqual([])
  expect(actionsFor(root, { ...user, id: 9, role: 100 })).toEqual([])
})

test('a banned user is enabled, one of another status neither enabled nor disabled', () => {
  expect(actionsFor(admin, { ...user, status: 2 })).toEqual(['enable', 'delete'])
  expect(actionsFor(admin, { ...user, status: 3 })).toEqual(['delete'])
})

test('nothing is left to do with the deregistered', () => {
  const gone = { ...user, DeletedAt: '2026-01-01T00:00:00.000Z' }
  expect(standingOf(gone)).toBe('deregistered')
  expect(actionsFor(root, gone)).toEqual([])
  expect(mayEdit(root, gone)).toBe(false)
})

test('roles and states that are not known read as unknown', () => {
  expect([1, 10, 100, 7].map(role => roleOf({ role }))).toEqual([
    'roleUser',
    'roleAdmin',
    'roleRoot',
    'roleUnknown',
  ])
  expect([1, 2, 3].map(status => standingOf({ ...user, status }))).toEqual(['enabled', 'banned', 'unknown'])
})
