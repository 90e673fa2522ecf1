import { expect, test } from 'bun:test'
import { type RecordChange, recordChanges } from './record-changes.ts'

interface Case {
  readonly name: string
  readonly row: Parameters<typeof recordChanges>[0]
  readonly changes: RecordChange[]
}

const CASES: readonly Case[] = [
  {
    name: 'one price of a table',
    row: {
      kind: 'option',
      before: { ModelPrice: { value: { 'gpt-5.5': 1 } } },
      after: { ModelPrice: { value: { 'gpt-5.5': 2 } } },
    },
    changes: [
      { target: 'ModelPrice', effect: 'changed', fields: [{ field: 'gpt-5.5', before: '1', after: '2' }] },
    ],
  },
  {
    name: 'an option of one value',
    row: { kind: 'option', before: { Price: { value: '7' } }, after: { Price: { value: '8' } } },
    changes: [{ target: 'Price', effect: 'changed', fields: [{ field: '', before: '7', after: '8' }] }],
  },
  {
    name: 'a new record, without the fields that it leaves empty',
    row: { kind: 'channel', before: { 3: null }, after: { 3: { name: 'new', tag: '', other: null } } },
    changes: [
      { target: '3', effect: 'created', fields: [{ field: 'name', before: undefined, after: 'new' }] },
    ],
  },
  {
    name: 'a deleted record',
    row: { kind: 'channel', before: { 3: { name: 'old' } }, after: { 3: null } },
    changes: [
      { target: '3', effect: 'deleted', fields: [{ field: 'name', before: 'old', after: undefined }] },
    ],
  },
  {
    name: 'a record that is marked as deleted',
    row: { kind: 'user', before: { 3: { deleted_at: null } }, after: { 3: { deleted_at: 5 } } },
    changes: [
      { target: '3', effect: 'deleted', fields: [{ field: 'deleted_at', before: undefined, after: '5' }] },
    ],
  },
  {
    name: 'nested fields, a new one, a list and a field that became an object',
    row: {
      kind: 'channel',
      before: { 3: { setting: { proxy: 'a' }, models: ['x'], rules: 'old' } },
      after: { 3: { setting: { proxy: 'b', region: { name: 'eu' } }, models: ['x', 'y'], rules: { a: 1 } } },
    },
    changes: [
      {
        target: '3',
        effect: 'changed',
        fields: [
          { field: 'setting › proxy', before: 'a', after: 'b' },
          { field: 'setting › region › name', before: undefined, after: 'eu' },
          { field: 'models', before: '["x"]', after: '["x","y"]' },
          { field: 'rules', before: 'old', after: '{"a":1}' },
        ],
      },
    ],
  },
  { name: 'no record', row: { kind: '', before: {}, after: {} }, changes: [] },
]

test.each(CASES)('shows $name', ({ row, changes }) => {
  expect(recordChanges(row)).toEqual(changes)
})
