import { expect, test } from 'bun:test'
import { allowedActions, canEdit, roleName, userStatus } from './user.ts'

const user = { id: 5, role: 1, status: 1, DeletedAt: null }
const root = { id: 1, role: 100 }
const admin = { id: 2, role: 10 }

test('only the super administrator promotes and demotes', () => {
  expect(allowedActions(root, user)).toEqual(['promote', 'disable', 'delete'])
  expect(allowedActions(root, { ...user, role: 10 })).toEqual(['demote', 'disable', 'delete'])
  expect(allowedActions(admin, user)).toEqual(['disable', 'delete'])
})

test('equals and betters are not managed, nor oneself, nor any super administrator', () => {
  expect(allowedActions(admin, { ...user, role: 10 })).toEqual([])
  expect(canEdit(admin, { ...user, role: 10 })).toBe(false)
  expect(allowedActions(root, { ...user, id: 1, role: 100 })).toEqual([])
  expect(allowedActions(root, { ...user, id: 9, role: 100 })).toEqual([])
})

test('a banned user is enabled, one of another status neither enabled nor disabled', () => {
  expect(allowedActions(admin, { ...user, status: 2 })).toEqual(['enable', 'delete'])
  expect(allowedActions(admin, { ...user, status: 3 })).toEqual(['delete'])
})

test('nothing is left to do with the deregistered', () => {
  const gone = { ...user, DeletedAt: '2026-01-01T00:00:00.000Z' }
  expect(userStatus(gone)).toBe('deregistered')
  expect(allowedActions(root, gone)).toEqual([])
  expect(canEdit(root, gone)).toBe(false)
})

test('roles and states that are not known read as unknown', () => {
  expect([1, 10, 100, 7].map(role => roleName({ role }))).toEqual([
    'roleUser',
    'roleAdmin',
    'roleRoot',
    'roleUnknown',
  ])
  expect([1, 2, 3].map(status => userStatus({ ...user, status }))).toEqual(['enabled', 'banned', 'unknown'])
})
