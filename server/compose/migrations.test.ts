import { expect, test } from 'bun:test'
import type { Migration } from '../db/migrations/migration.ts'
import { migrationsOf } from './migrations.ts'

const named = (name: string): Migration => ({ name, up: async () => undefined })

const withMigrations = (...names: readonly string[]) => new Map([['notes', { migrations: names.map(named) }]])

test('migrations of features follow those of the base by number', () => {
  const names = migrationsOf(withMigrations('0003-notes')).map(({ name }) => name)
  expect(names.slice(0, 4)).toEqual([
    '0001-first-tables',
    '0002-one-account-each',
    '0003-notes',
    '0004-tasks-in-one-table',
  ])
})

test('a number that is used twice names both files and the next free number', () => {
  expect(() => migrationsOf(withMigrations('0001-notes'))).toThrow(
    /^server\/db\/migrations\/0001-first-tables\.ts and features\/notes\/migrations\/0001-notes\.ts have the same number: give the one that has not landed \d{4}$/,
  )
})

test('a migration without a number names its file', () => {
  expect(() => migrationsOf(withMigrations('notes'))).toThrow(
    /^features\/notes\/migrations\/notes\.ts: the name of a migration is its number and what it does/,
  )
})
