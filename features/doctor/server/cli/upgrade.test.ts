import { expect, test } from 'bun:test'
import type { DatabaseInspection } from '#server/db/engine/inspect.ts'
import { describeUpgrade } from './upgrade.ts'

const CURRENT: DatabaseInspection = {
  version: 'PostgreSQL 18.1',
  pending: [],
  isEmpty: false,
  unknown: [],
  isWritable: true,
  serverMs: undefined,
}
const BACKUP = { folder: undefined, intervalHours: 24, keep: 7, isMadeBeforeUpgrade: true }
const TARGET = { engine: 'postgres', version: '1.2.3', backup: BACKUP } as const
const PENDING = { ...CURRENT, pending: ['0008-large-logs', '0018-charge-hours'] }

test.each([
  ['an up-to-date schema', CURRENT, /the next start changes nothing/],
  [
    'an empty database',
    { ...CURRENT, isEmpty: true, pending: ['0001-first-tables'] },
    /the first start creates its tables/,
  ],
  [
    'the database of a newer version',
    { ...CURRENT, unknown: ['9999-z'] },
    /A newer version has migrated the database \(9999-z\)/,
  ],
])('an upgrade check describes %s', (_, inspection, line) => {
  const [title, ...lines] = describeUpgrade(inspection, TARGET)
  expect(title).toBe('Tollgate 1.2.3 on PostgreSQL 18.1')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(line)
})

test('an upgrade check lists the migrations to come, with what to know before those that take long', () => {
  expect(describeUpgrade(PENDING, TARGET)).toEqual([
    'Tollgate 1.2.3 on PostgreSQL 18.1',
    'The next start applies 2 migrations, each in a transaction:',
    '  0008-large-logs: partitions the log by month: reads all log rows once, about 4 s per million, while requests wait',
    '  0018-charge-hours',
    'It makes no backup: run tollgate backup first, or set BACKUP_DIR.',
    'An earlier version cannot start on the result: to go back, restore the backup.',
  ])
})

test.each([
  ['sqlite', BACKUP, /backup to the folder backups of DATA_DIR/],
  ['postgres', { ...BACKUP, folder: '/b' }, /backup to \/b/],
  ['sqlite', { ...BACKUP, folder: '/b', isMadeBeforeUpgrade: false }, /makes no backup/],
] as const)('an upgrade check says where a backup of %s with %j is written', (engine, backup, line) => {
  expect(describeUpgrade(PENDING, { ...TARGET, engine, backup }).at(-2)).toMatch(line)
})
