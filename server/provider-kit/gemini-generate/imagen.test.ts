import { expect, test } from 'bun:test'
import { toAspectRatio } from './imagen.ts'

test.each([
  ['1024x1024', '1:1'],
  ['512x512', '1:1'],
  ['1024x1792', '9:16'],
  ['1792x1024', '16:9'],
  ['1536x1024', '4:3'],
  ['1024x1536', '3:4'],
])('maps the size %s to the aspect ratio %s', (size, ratio) => expect(toAspectRatio(size)).toBe(ratio))

test.each(['auto', '0x0', '', null, undefined])('sends no aspect ratio for the size %p', size =>
  expect(toAspectRatio(size)).toBeUndefined(),
)
