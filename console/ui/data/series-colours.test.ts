import { expect, test } from 'bun:test'
import { COLOURS, colourOf } from './series-colours.ts'

test('gives a name the same colour every time', () => {
  expect(colourOf('vip')).toEqual(colourOf('vip'))
})

test('spreads names over all colours', () => {
  const seen = new Set(Array.from({ length: 500 }, (_, index) => colourOf(`group-${index}`).swatch))
  expect(seen.size).toBe(COLOURS)
})
