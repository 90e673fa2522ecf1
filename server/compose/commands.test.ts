import { expect, test } from 'bun:test'
import { commandsOf } from './commands.ts'

const COMMAND = { summary: 'do it', usage: 'Usage: …', takesArguments: false, run: async () => 0 }

test('commands of features follow those of the base', () => {
  const features = new Map([['notes', { commands: { note: COMMAND } }]])
  expect([...commandsOf({ serve: COMMAND }, features).keys()]).toEqual(['serve', 'note'])
})

test('a command that two features have names both files', () => {
  const features = new Map([
    ['memos', { commands: { note: COMMAND } }],
    ['notes', { commands: { note: COMMAND } }],
  ])
  expect(() => commandsOf({}, features)).toThrow(
    'features/memos/server/index.ts and features/notes/server/index.ts both have the command "note": rename one of them',
  )
})
