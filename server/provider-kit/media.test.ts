import { expect, test } from 'bun:test'
import { addressOf, parseDataUrl } from './media.ts'

test('reads a data URL, with and without parameters and type', () => {
  expect(parseDataUrl('data:image/png;base64,AAAA')).toEqual({ mediaType: 'image/png', data: 'AAAA' })
  expect(parseDataUrl('data:audio/wav;rate=8;base64,AA')).toEqual({ mediaType: 'audio/wav', data: 'AA' })
  expect(parseDataUrl('data:;base64,AA')?.mediaType).toBe('application/octet-stream')
})

test('takes nothing else for a data URL', () => {
  for (const url of ['https://x.example/a.png', 'data:text/plain,hello', ''])
    expect(parseDataUrl(url)).toBeUndefined()
})

test('takes a bare address for a picture', () => {
  expect(addressOf('https://x.example/a.png')).toBe('https://x.example/a.png')
  expect(addressOf({ url: 'https://x.example/b.png' })).toBe('https://x.example/b.png')
})
