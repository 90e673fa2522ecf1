import { expect, test } from 'bun:test'
import { changeLanguage, translate } from './text.ts'

test('has the singular for one, also where the number is formatted', () => {
  changeLanguage('en')
  const text = { zh: { rows: '{count} 行' }, en: { rows: '{count} rows', rows_one: '{count} row' } }
  const shown = [1, '1', 2, '1,000'].map(count => translate(text, 'rows', { count }))
  expect(shown).toEqual(['1 row', '1 row', '2 rows', '1,000 rows'])
})
