import { expect, test } from 'bun:test'
import { allowedActions, canEdit, roleName, userStatus } from './user.ts'

const user = { id: 5, kind: 'person', role: 1, status: 1, DeletedAt: null } as const
const root = { id: 1, kind: 'person', role: 100 }
const admin = { id: 2, kind: 'person', role: 10 }

test('lets only the super administrator promote and demote', () => {
  expect(allowedActions(root, user)).toEqual(['promote', 'disable', 'delete'])
  expect(allowedActions(root, { ...user, role: 10 })).toEqual(['demote', 'disable', 'delete'])
  expect(allowedActions(admin, user)).toEqual(['disable', 'delete'])
})

test('allows no actions on users of the same or a higher role, on oneself or on a super administrator', () => {
  expect(allowedActions(admin, { ...user, role: 10 })).toEqual([])
  expect(canEdit(admin, { ...user, role: 10 })).toBe(false)
  expect(allowedActions(root, { ...user, id: 1, role: 100 })).toEqual([])
  expect(allowedActions(root, { ...user, id: 9, role: 100 })).toEqual([])
})

test('offers enabling for a banned user and neither enabling nor disabling for an unknown status', () => {
  expect(allowedActions(admin, { ...user, status: 2 })).toEqual(['enable', 'delete'])
  expect(allowedActions(admin, { ...user, status: 3 })).toEqual(['delete'])
})

test('allows no actions on a deregistered user', () => {
  const gone = { ...user, DeletedAt: '2026-01-01T00:00:00.000Z' }
  expect(userStatus(gone)).toBe('deregistered')
  expect(allowedActions(root, gone)).toEqual([])
  expect(canEdit(root, gone)).toBe(false)
})

test('shows an unknown role or status as unknown', () => {
  expect([1, 10, 100, 7].map(role => roleName({ kind: 'person', role }))).toEqual([
    'roleUser',
    'roleAdmin',
    'roleRoot',
    'roleUnknown',
  ])
  expect([1, 2, 3].map(status => userStatus({ ...user, status }))).toEqual(['enabled', 'banned', 'unknown'])
})
