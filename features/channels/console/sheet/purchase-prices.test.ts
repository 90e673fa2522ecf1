import { expect, test } from 'bun:test'
import { translatorOf } from '#console/ui/text/text.ts'
import {
  EMPTY_ROW,
  findRowProblem,
  type PurchaseRow,
  readPurchaseRows,
  writePurchaseRows,
} from './purchase-prices.ts'
import { isSameSetting, readSetting, writeSetting } from './setting-fields.ts'
import { sheetText } from './text.ts'

const t = translatorOf(sheetText)

const STORED = {
  'gpt-5.5': { cached_input: 0.4, input: 4, output: 24, service_tiers: { flex: { input: 2, output: 12 } } },
  'house-model': { request: 0.002 },
}
const row = (typed: Partial<PurchaseRow>): PurchaseRow => ({ ...EMPTY_ROW, ...typed })
const problems = (...rows: readonly PurchaseRow[]) => rows.map((_, index) => findRowProblem(rows, index, t))

test('shows stored price lists as rows, with other members as JSON, and writes the same again', () => {
  const rows = readPurchaseRows(STORED) ?? []
  expect(rows).toEqual([
    {
      model: 'gpt-5.5',
      input: '4',
      cached_input: '0.4',
      output: '24',
      request: '',
      others: JSON.stringify({ service_tiers: { flex: { input: 2, output: 12 } } }, undefined, 2),
    },
    row({ model: 'house-model', request: '0.002' }),
  ])
  expect(writePurchaseRows(rows)).toEqual(STORED)
  expect(problems(...rows)).toEqual([undefined, undefined])
})

test('moves price lists between the setting and the rows without a difference', () => {
  const setting = JSON.stringify({ proxy: 'http://p:1', purchase_prices: STORED })
  const fields = readSetting(setting)
  expect(JSON.parse(fields.setting)).toEqual({ proxy: 'http://p:1' })
  expect(isSameSetting(setting, writeSetting(fields))).toBe(true)
  expect(
    writeSetting({ ...readSetting(JSON.stringify({ purchase_prices: STORED })), purchase_prices: [] }),
  ).toBe('')
})

test('keeps price lists that were typed into the extra settings, and those that no row can show', () => {
  const typed = { ...readSetting(''), setting: JSON.stringify({ purchase_prices: { typed: { input: 1 } } }) }
  const both = { ...typed, purchase_prices: [row({ model: 'mine', input: '2' })] }
  expect(JSON.parse(writeSetting(both))).toEqual({
    purchase_prices: { typed: { input: 1 }, mine: { input: 2 } },
  })
  const odd = JSON.stringify({ purchase_factor: 1, purchase_prices: { odd: 5 } })
  expect(readSetting(odd).purchase_prices).toEqual([])
  expect(JSON.parse(writeSetting(readSetting(odd)))).toEqual(JSON.parse(odd))
})

test('ignores empty rows', () => {
  expect(writePurchaseRows([EMPTY_ROW, row({ model: ' a ', input: ' 1 ' })])).toEqual({ a: { input: 1 } })
  expect(problems(EMPTY_ROW)).toEqual([undefined])
  expect(writePurchaseRows([EMPTY_ROW])).toBeUndefined()
})

test('names the model and what is wrong with its prices', () => {
  expect(
    problems(
      row({ input: '1' }),
      row({ model: 'a', input: '1' }),
      row({ model: 'a', input: '2' }),
      row({ model: 'b', input: 'much' }),
      row({ model: 'c', input: '1', cached_input: '-1' }),
      row({ model: 'd', output: '1' }),
      row({ model: 'e', input: '1', others: '[' }),
      row({ model: 'f', input: '1', others: '{"nonsense": 1}' }),
      row({ model: 'g', input: '1', others: '{"input": 1}' }),
      row({ model: 'h', input: '2000000' }),
    ),
  ).toEqual([
    '请填写模型名称',
    undefined,
    'a 出现了两次',
    'b：输入必须是不小于 0 的数字',
    'c：缓存输入必须是不小于 0 的数字',
    'd：没有输入价格',
    'e：其他价格必须是 JSON 对象',
    'f：nonsense 无效',
    'g：输入同时出现在 JSON 中',
    'h：input 价格过高',
  ])
})
