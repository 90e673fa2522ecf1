import { expect, test } from 'bun:test'
import { isOptionKey, systemOptions } from '#contract/options/system-options.ts'
import { fieldKind } from './fields.tsx'
import { isOptionTextKey } from './option-text.ts'
import { CONTENT_KEYS, OPERATION_SECTIONS, SYSTEM_SECTIONS } from './sections.ts'

const shown = [...OPERATION_SECTIONS, ...SYSTEM_SECTIONS]
  .flatMap(section => section.keys)
  .concat(CONTENT_KEYS)
const known = Object.keys(systemOptions).filter(isOptionKey)

test('shows every option on exactly one settings tab', () => {
  expect(shown.toSorted()).toEqual(known.toSorted())
})

test('has a label for every option', () => {
  expect(shown.filter(key => !isOptionTextKey(key))).toEqual([])
})

test('chooses the control by the type of the option', () => {
  expect(fieldKind('RetryTimes')).toBe('number')
  expect(fieldKind('PasswordLoginEnabled')).toBe('flag')
  expect(fieldKind('SMTPToken')).toBe('secret')
  expect(fieldKind('ModelRatio')).toBe('json')
  expect(fieldKind('ServerAddress')).toBe('text')
  expect(known.filter(key => systemOptions[key].isSecret && fieldKind(key) !== 'secret')).toEqual([])
})
