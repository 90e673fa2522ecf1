import { expect, test } from 'bun:test'
import { isOptionKey, systemOptions } from '#contract/options/system-options.ts'
import { kindOf } from './fields.tsx'
import { CONTENT_KEYS, OPERATION_SECTIONS, SYSTEM_SECTIONS } from './sections.ts'
import { isOptionWord } from './text.ts'

const shown = [...OPERATION_SECTIONS, ...SYSTEM_SECTIONS]
  .flatMap(section => section.keys)
  .concat(CONTENT_KEYS)
const known = Object.keys(systemOptions).filter(isOptionKey)

test('every option of the installation stands on a settings page exactly once', () => {
  expect(shown.toSorted()).toEqual(known.toSorted())
})

test('every option has a name in words', () => {
  expect(shown.filter(key => !isOptionWord(key))).toEqual([])
})

test('an option is typed in the way its value asks for', () => {
  expect(kindOf('RetryTimes')).toBe('number')
  expect(kindOf('PasswordLoginEnabled')).toBe('flag')
  expect(kindOf('SMTPToken')).toBe('secret')
  expect(kindOf('ModelRatio')).toBe('json')
  expect(kindOf('ServerAddress')).toBe('text')
  expect(known.filter(key => systemOptions[key].isSecret && kindOf(key) !== 'secret')).toEqual([])
})
